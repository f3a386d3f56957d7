// Tangents of a contact turned along its slip, so that two directions of a polyhedral friction cone lie along it: the
// friction of a contact that slides straight is then exactly opposed to its motion, whatever the number of facets.
#pragma once

// n entries (n, 9) of a contact's Jacobian, its prescribed velocity w and its frame (rows n, t1, t2), turned about n by
// less than a quarter turn either way until t1 is along the slip (slip[0] t1 + slip[1] t2) or against it. A slip below
// least [m/s] turns nothing.
void tn_contact_align(const double slip[2], double least, int n, double *entry, double w[3], double frame[9]);
