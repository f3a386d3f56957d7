// Closest points of a triangle.
#pragma once

// Point of the triangle a b c nearest to x, as barycentric weights (sum 1, none negative, exactly zero off the feature
// that holds it). Returns the squared distance [m^2]. A triangle without area counts as its edges.
double tn_triangle_closest(const double a[3], const double b[3], const double c[3], const double x[3],
                           double weight[3]);

// (b - a) x (c - a): twice the area along the normal, towards the side that sees a b c counter-clockwise [m^2].
void tn_triangle_area(double out[3], const double a[3], const double b[3], const double c[3]);
