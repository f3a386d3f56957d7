// Segments, as a middle and a half.
#pragma once

// Segments c + s d with s in [-1, 1] (d: half the segment, may be zero). Sets s of both closest points and
// returns the squared distance. Parallel segments: one of the closest pairs.
double tn_segment_closest(const double c1[3], const double d1[3], const double c2[3], const double d2[3], double *s1,
                          double *s2);

// The segment from p to q is middle - half to middle + half.
void tn_segment_halves(const double p[3], const double q[3], double middle[3], double half[3]);
