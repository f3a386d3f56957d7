// Published mechanisms as scenes, for tests of their figures and of the order in which they are approached: cases J02,
// J05 to J12 of the list of validation cases. Planar ones stand in the xz plane, gravity along -z.
#pragma once

#include "scenario.h"

#define MECHANISM "scheme: %s\nstep: %.17g\nsolver: {tolerance: {joint: 1e-8, momentum: 1e-8}}\n"

// Coordinate `axis` of the point p of a body's frame, in the world.
static inline double place(const scenario *s, const char *body, const double p[3], int axis)
{
    double x[3], q[4];
    tn_state_body_pose(s->state, scenario_body(s, body), x, q);
    double t[3] = {2 * (q[2] * p[2] - q[3] * p[1]), 2 * (q[3] * p[0] - q[1] * p[2]), 2 * (q[1] * p[1] - q[2] * p[0])};
    double turned[3] = {p[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1], p[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                        p[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
    return x[axis] + turned[axis];
}

// J02: IFToMM benchmark A02, two four-bar loops; singular whenever they lie flat.
static inline scenario open_bars(const char *scheme, double h)
{
    return scenario_open(MECHANISM
                         "projection: 2\n"
                         "defaults: {body: {mass: 1, inertia: [0.0833333333333333, 0.0833333333333333, 1e-4]},\n"
                         "           joint: {type: revolute, axis: [0, 1, 0]}}\n"
                         "bodies:\n"
                         "  r0: {position: [0, 0, 0.5], velocity: [0.5, 0, 0], angular_velocity: [0, 1, 0]}\n"
                         "  r1: {position: [1, 0, 0.5], velocity: [0.5, 0, 0], angular_velocity: [0, 1, 0]}\n"
                         "  r2: {position: [2, 0, 0.5], velocity: [0.5, 0, 0], angular_velocity: [0, 1, 0]}\n"
                         "  c0: {position: [0.5, 0, 1], velocity: [1, 0, 0]}\n"
                         "  c1: {position: [1.5, 0, 1], velocity: [1, 0, 0]}\n"
                         "joints:\n"
                         "  g0: {b: r0, anchor: [0, 0, 0]}\n"
                         "  g1: {b: r1, anchor: [1, 0, 0]}\n"
                         "  g2: {b: r2, anchor: [2, 0, 0]}\n"
                         "  a0: {a: r0, b: c0, anchor: [0, 0, 1]}\n"
                         "  a1: {a: r1, b: c0, anchor: [1, 0, 1]}\n"
                         "  b1: {a: r1, b: c1, anchor: [1, 0, 1]}\n"
                         "  b2: {a: r2, b: c1, anchor: [2, 0, 1]}\n",
                         scheme, h);
}

// J05: IFToMM benchmark A04, Bricard's mechanism: six hinges of which any five would hold it.
static inline scenario open_bricard(const char *scheme, double h)
{
    const double a = 1.0 / 12.0 * (1.0 + 0.01), b = 1.0 / 12.0 * 0.02; // 1 m, section 0.1 m, 1 kg
    return scenario_open(MECHANISM "projection: 3\ngravity: [0, -9.81, 0]\n"
                                   "defaults: {body: {mass: 1}, joint: {type: revolute}}\n"
                                   "bodies:\n"
                                   "  r1: {position: [0.5, 0, 0], inertia: [%.17g, %.17g, %.17g]}\n"
                                   "  r2: {position: [1, -0.5, 0], inertia: [%.17g, %.17g, %.17g]}\n"
                                   "  r3: {position: [1, -1, 0.5], inertia: [%.17g, %.17g, %.17g]}\n"
                                   "  r4: {position: [0.5, -1, 1], inertia: [%.17g, %.17g, %.17g]}\n"
                                   "  r5: {position: [0, -0.5, 1], inertia: [%.17g, %.17g, %.17g]}\n"
                                   "joints:\n"
                                   "  p0: {b: r1, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                                   "  p1: {a: r1, b: r2, anchor: [1, 0, 0], axis: [0, 0, 1]}\n"
                                   "  p2: {a: r2, b: r3, anchor: [1, -1, 0], axis: [1, 0, 0]}\n"
                                   "  p3: {a: r3, b: r4, anchor: [1, -1, 1], axis: [0, 1, 0]}\n"
                                   "  p4: {a: r4, b: r5, anchor: [0, -1, 1], axis: [0, 0, 1]}\n"
                                   "  p5: {a: r5, b: world, anchor: [0, 0, 1], axis: [1, 0, 0]}\n",
                         scheme, h, b, a, a, a, b, a, a, a, b, b, a, a, a, b, a);
}

// J06: IFToMM benchmark A05, the flyball governor with stiff spring-dampers. Body 2 is its slider.
static inline scenario open_governor(const char *scheme, double h)
{
    // Rods from the shaft's top, 30 degrees below the horizontal; balls of 5 kg at their ends; springs of 0.5 m from
    // their middles to the slider, 0.5 m below the top. Section 0.01 m and slider 0.1 m of 3000 kg/m^3.
    const double c = cos(PI / 6.0), rod = 3000 * 1e-4, ball = 5.0, slider = 3.0;
    const double i_rod = rod / 12.0, m = rod + ball, center = (0.5 * rod + 1.0 * ball) / m;
    const double across = i_rod + rod * pow(center - 0.5, 2) + ball * pow(1.0 - center, 2), along = rod * 1e-4 / 6.0;
    const double x = center * c, z = -center * 0.5, spin = 2.0 * PI;
    return scenario_open(
        MECHANISM
        "projection: 2\n"
        "bodies:\n"
        "  shaft: {position: [0, 0, -0.5], mass: %.17g, inertia: [%.17g, %.17g, %.17g],\n"
        "          angular_velocity: [0, 0, %.17g]}\n"
        "  slider: {position: [0, 0, -0.5], mass: %.17g, inertia: [5e-3, 5e-3, 5e-3],\n"
        "           angular_velocity: [0, 0, %.17g]}\n"
        "  right: {position: [%.17g, 0, %.17g], rotation: {axis: [0, 1, 0], angle: 30 deg}, mass: %.17g,\n"
        "          inertia: [%.17g, %.17g, %.17g], velocity: [0, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n"
        "  left: {position: [%.17g, 0, %.17g], rotation: {axis: [0, 1, 0], angle: -30 deg}, mass: %.17g,\n"
        "         inertia: [%.17g, %.17g, %.17g], velocity: [0, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n"
        "joints:\n"
        "  bearing: {type: revolute, b: shaft, anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  guide: {type: prismatic, a: shaft, b: slider, anchor: [0, 0, -0.5], axis: [0, 0, 1]}\n"
        "  hinge1: {type: revolute, a: shaft, b: right, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  hinge2: {type: revolute, a: shaft, b: left, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  spring1: {type: distance, a: right, b: slider, point_a: [%.17g, 0, 0],\n"
        "            slide: {stiffness: 8e5, damping: 4e4, rest: 0.5}}\n"
        "  spring2: {type: distance, a: left, b: slider, point_a: [%.17g, 0, 0],\n"
        "            slide: {stiffness: 8e5, damping: 4e4, rest: 0.5}}\n",
        scheme, h, rod, i_rod, i_rod, along, spin, slider, spin, x, z, m, along, across, across, spin * x, spin, -x, z,
        m, along, across, across, -spin * x, spin, 0.5 - center, center - 0.5);
}

// J07: spatial slider-crank (IFToMM; E. J. Haug 1989). Body 3 is its slider, joint 0 the crank's pivot.
static inline scenario open_slider_crank(const char *scheme, double h)
{
    // The rod from the slider at (0.2, 0, 0) to the crank pin at (0, 0.1, 0.2); its spin is what the universal joint
    // leaves. The publications do not say how its cross lies; with one axis along the rail the figures come out.
    return scenario_open(
        MECHANISM
        "projection: 2\n"
        "bodies:\n"
        "  crank: {position: [0, 0.1, 0.16], mass: 0.12, inertia: [1e-4, 1e-4, 1e-5], velocity: [0, -0.24, 0],\n"
        "          angular_velocity: [6, 0, 0]}\n"
        "  rod: {position: [0.1, 0.05, 0.1], mass: 0.5, inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g],\n"
        "        velocity: [0.12, -0.24, 0], angular_velocity: [1.92, -0.96, 0.48]}\n"
        "  slider: {position: [0.2, 0, 0], mass: 2, inertia: [1e-4, 1e-4, 1e-4], velocity: [0.24, 0, 0]}\n"
        "joints:\n"
        "  pivot: {type: revolute, b: crank, anchor: [0, 0.1, 0.12], axis: [1, 0, 0]}\n"
        "  pin: {type: spherical, a: crank, b: rod, anchor: [0, 0.1, 0.2]}\n"
        "  cross: {type: universal, a: slider, b: rod, anchor: [0.2, 0, 0], axis: [1, 0, 0],\n"
        "          axis2: [0, -2, 1]}\n"
        "  rail: {type: prismatic, b: slider, anchor: [0.2, 0, 0], axis: [1, 0, 0]}\n",
        scheme, h, 4e-3 - 3.6e-3 * 4 / 9, 4e-3 - 3.6e-3 / 9, 4e-3 - 3.6e-3 * 4 / 9, 3.6e-3 * 2 / 9, 3.6e-3 * 4 / 9,
        -3.6e-3 * 2 / 9);
}

// J09: a bar of 4 m on a pin along y = z, as ADAMS had it.
static inline scenario open_slanted_pin(const char *scheme, double h)
{
    return scenario_open(MECHANISM "gravity: [0, 0, -9.80665]\nprojection: 2\n"
                                   "bodies: {bar: {position: [3, 2, 3], mass: 1, inertia: [0.04, 0.1, 0.1]}}\n"
                                   "joints: {pin: {type: revolute, b: bar, anchor: [1, 2, 3], axis: [0, 1, 1]}}\n",
                         scheme, h);
}

// J09: the bar on a ball joint.
static inline scenario open_ball_joint(const char *scheme, double h)
{
    return scenario_open(MECHANISM "gravity: [0, 0, -9.80665]\nprojection: 2\n"
                                   "bodies: {bar: {position: [2, 0, 0], mass: 1, inertia: [0.04, 0.1, 0.1]}}\n"
                                   "joints: {ball: {type: spherical, b: bar, anchor: [0, 0, 0]}}\n",
                         scheme, h);
}

// J11: two bars of 1 m, 1 kg, J = 1. Angles of the plane xz from the x axis upward turn about -y.
static inline scenario open_double_pendulum(const char *scheme, double h)
{
    return scenario_open(MECHANISM "gravity: [0, 0, -10]\n"
                                   "defaults: {body: {mass: 1, inertia: [1, 1, 1]},\n"
                                   "           joint: {type: revolute, axis: [0, -1, 0]}}\n"
                                   "bodies: {one: {position: [0.5, 0, 0]}, two: {position: [1.5, 0, 0]}}\n"
                                   "joints: {p: {b: one, anchor: [0, 0, 0]}, q: {a: one, b: two, anchor: [1, 0, 0]}}\n",
                         scheme, h);
}

// J11: a slider on a spring, a bar on it.
static inline scenario open_slider_pendulum(const char *scheme, double h)
{
    return scenario_open(MECHANISM "gravity: [0, 0, -10]\n"
                                   "defaults: {body: {mass: 1, inertia: [1, 1, 1]}}\n"
                                   "bodies: {slider: {}, bar: {position: [0.5, 0, 0]}}\n"
                                   "joints:\n"
                                   "  rail: {type: prismatic, b: slider, axis: [1, 0, 0], slide: {stiffness: 10}}\n"
                                   "  pin: {type: revolute, a: slider, b: bar, anchor: [0, 0, 0], axis: [0, -1, 0]}\n",
                         scheme, h);
}

// J12: Drake's four-bar linkage, hanging where it balances, or pushed by a spin [rad/s] of its first bar.
static inline scenario open_four_bar(const char *scheme, double h, double damping, double spin)
{
    const double angle = acos(0.25), x = 4.0 * cos(angle), z = -4.0 * sin(angle);
    return scenario_open(
        MECHANISM "gravity: [0, 0, -9.8]\nprojection: 2\n"
                  "defaults: {body: {mass: 20, inertia: [26.6666666666666667, 26.6666666666666667, 1]},\n"
                  "           joint: {type: revolute, axis: [0, -1, 0], turn: {damping: %.17g}}}\n"
                  "bodies:\n"
                  "  a: {position: [%.17g, 0, %.17g], angular_velocity: [0, %.17g, 0]}\n"
                  "  b: {position: [%.17g, 0, %.17g]}\n"
                  "  c: {position: [%.17g, 0, %.17g]}\n"
                  "joints:\n"
                  "  qa: {b: a, anchor: [0, 0, 0]}\n"
                  "  qb: {a: a, b: b, anchor: [%.17g, 0, %.17g]}\n"
                  "  bc: {a: b, b: c, anchor: [%.17g, 0, %.17g]}\n"
                  "  qc: {b: c, anchor: [-2, 0, 0]}\n",
        scheme, h, damping, 0.5 * x, 0.5 * z, spin, x - 2.0, z, -2.0 - 0.5 * x, 0.5 * z, x, z, x - 4.0, z);
}
