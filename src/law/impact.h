// Newton's law of restitution as a bound on normal velocities (m/s, B relative to A, negative = approaching).
//
// The contact's normal velocity u after an impact is at least -restitution times the one before. Below the
// threshold speed a contact counts as resting: without it gravity's h g would make it hop for ever.
#pragma once

// Smallest normal velocity after the impact that the law allows; 0 where the contact rests or opens.
// restitution in [0, 1], threshold >= 0.
double tn_impact_velocity(double restitution, double threshold, double u_before);

// The same bound for the representative velocity v^ = (1 - theta) v_k + theta v_{k+1} of a step, whose normal part
// before is u_before: (1 - theta) u_before + theta u_after. With theta = 1 (euler) it is u_after itself; with
// theta = 1/2 (midpoint) and no restitution it is u_before / 2: the contact must be let in half-way to be at rest
// at the end of the step.
double tn_impact_representative(double theta, double u_before, double u_after);
