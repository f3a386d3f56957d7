#include "record/columns.h"

#define FIGURE(name, unit, about)                                                                                      \
    {                                                                                                                  \
        "certificate/" name, unit, about, TN_COLUMN_F64, 1, TN_PER_FRAME, 0                                            \
    }
#define SECONDS(name, about)                                                                                           \
    {                                                                                                                  \
        "timings/" name, "s", about, TN_COLUMN_F64, 1, TN_PER_FRAME, 0                                                 \
    }
#define JOULE(name, about)                                                                                             \
    {                                                                                                                  \
        "energy/" name, "J", about, TN_COLUMN_F64, 1, TN_PER_FRAME, 0                                                  \
    }

#define PLAN(name, unit, about)                                                                                        \
    {                                                                                                                  \
        "plan/" name, unit, about, TN_COLUMN_F64, 1, TN_PER_PLANNED, 0                                                 \
    }

const tn_column tn_columns[TN_COLUMN_COUNT] = {
    {"step", "1", "number of the step that ended here; 0: initial state", TN_COLUMN_I64, 1, TN_PER_FRAME, 0},
    {"poses", "m, 1", "position x y z and unit quaternion w x y z of each body's own frame", TN_COLUMN_F64, 7,
     TN_PER_BODY, 0},
    {"velocities", "m/s, rad/s", "of the frame's origin, then angular; world axes", TN_COLUMN_F64, 6, TN_PER_BODY, 0},
    {"iterations", "1", "of the solver in this step", TN_COLUMN_I32, 1, TN_PER_FRAME, 0},
    {"tolerances_held", "1", "1: every demanded figure was reached", TN_COLUMN_U8, 1, TN_PER_FRAME, 0},
    FIGURE("momentum", "1", "|A v - b - J^T lambda| / max(|b|, f0)"),
    FIGURE("signorini_primal", "m/s", "max of max(0, -u_n)"),
    FIGURE("signorini_dual", "N", "max of max(0, -lambda_n)"),
    FIGURE("complementarity", "m/s", "max of |min(u_n, m lambda_n)|"),
    FIGURE("cone", "1", "max of (|lambda_t| - mu lambda_n)_+ / max(lambda_n, f0 / n)"),
    FIGURE("dissipation", "W", "max of mu lambda_n |u_t| + lambda_t . u_t"),
    FIGURE("natural", "1", "natural map's residual, relative"),
    FIGURE("fclib", "1", "FCLIB's error measure; NaN where it is not computed"),
    FIGURE("strict_natural", "1", "natural map's residual of the strict law"),
    FIGURE("strict_complementarity", "m/s", "complementarity of the strict law"),
    FIGURE("penetration", "m", "deepest overlap after the step"),
    SECONDS("collide", "wall time of collision detection"),
    SECONDS("discretize", "wall time of A, b, J, soft bodies' elements among them"),
    SECONDS("solve", "wall time of the solver"),
    SECONDS("certify", "wall time of the certificate, the penetration and the energies"),
    SECONDS("total", "wall time of the step"),
    JOULE("kinetic", "kinetic energy"),
    JOULE("gravity", "potential of gravity"),
    JOULE("elastic", "potential of springs and soft bodies"),
    JOULE("dissipated", "by contacts and dampers, since the start"),
    JOULE("injected", "by applied forces and kinematic bodies, since the start"),
    JOULE("balance", "of the step: change of the total - injected + dissipated"),
    {"momentum", "kg m/s", "linear momentum", TN_COLUMN_F64, 3, TN_PER_FRAME, 0},
    {"angular_momentum", "kg m^2/s", "about the world's origin", TN_COLUMN_F64, 3, TN_PER_FRAME, 0},
    PLAN("status", "1", "of the last solve: 0 no plan found, 1 infeasible, 2 feasible, 3 proved optimal"),
    PLAN("cost", "1", "of the last plan; infinite: none"),
    PLAN("bound", "1", "no plan costs less"),
    PLAN("gap", "1", "(cost - bound) / (1 + |cost|)"),
    PLAN("seconds", "s", "wall time of the solve, of its system too"),
    PLAN("nodes", "1", "of branch and bound that the solve reached"),
    PLAN("mode", "1", "of the plan's first step: bit k is 1 where what plan/names says of k presses"),
    PLAN("slides", "1", "likewise, where it presses and slides"),
    PLAN("touching", "1", "steps of the plan in which a contact or a limit presses"),
    {"plan/poses", "m, 1", "of rigid bodies as in poses, at a quarter, half, three quarters, the end of the plan",
     TN_COLUMN_F32, 7, TN_PER_AHEAD, 0},
    {"asleep", "1", "bodies asleep after the step", TN_COLUMN_I32, 1, TN_PER_SLEEPY, 0},
    {"certificate/joint", "1", "error of the joints' velocities and forces, relative", TN_COLUMN_F64, 1, TN_PER_JOINTED,
     0},
    {"certificate/drift", "m, rad", "largest error of a joint's positions after the step", TN_COLUMN_F64, 1,
     TN_PER_JOINTED, 0},
    {"joints/force", "N", "on body b at its anchor, world axes", TN_COLUMN_F64, 3, TN_PER_JOINT, 0},
    {"joints/torque", "N m", "on body b, world axes", TN_COLUMN_F64, 3, TN_PER_JOINT, 0},
    {"joints/violation", "m, rad", "of what the joint locks, after the step", TN_COLUMN_F64, 2, TN_PER_JOINT, 0},
    {"joints/coordinate", "m, rad", "free coordinates; angles count full turns", TN_COLUMN_F64, 1, TN_PER_COORDINATE,
     0},
    {"joints/rate", "m/s, rad/s", "of the coordinates", TN_COLUMN_F64, 1, TN_PER_COORDINATE, 0},
    {"joints/effort", "N, N m", "of each coordinate's springs, motor, friction and limits", TN_COLUMN_F64, 1,
     TN_PER_COORDINATE, 0},
    {"joints/condition", "1", "0 free, 1 at the lower limit, 2 at the upper, 3 friction holds, 4 motor at its strength",
     TN_COLUMN_U8, 1, TN_PER_COORDINATE, 0},
    {"soft/energy", "J", "strain energy of each soft body", TN_COLUMN_F64, 1, TN_PER_SOFT, 0},
    {"soft/positions", "m", "of each node, world", TN_COLUMN_F64, 3, TN_PER_NODE, 0},
    {"soft/velocities", "m/s", "of each node, world axes", TN_COLUMN_F64, 3, TN_PER_NODE, 0},
    {"soft/stress", "Pa", "xx yy zz yz xz xy of each tetrahedron, world axes, tension positive", TN_COLUMN_F32, 6,
     TN_PER_TET, 0},
    {"sensors/reading", "SI", "of all sensors, one behind the other; units in sensors/unit", TN_COLUMN_F64, 1,
     TN_PER_READING, 0},
    {"contacts/bodies", "1", "body a, body b (rows of bodies/name)", TN_COLUMN_I32, 2, TN_PER_CONTACT, 0},
    {"contacts/point", "m", "midway between the two surfaces, world", TN_COLUMN_F64, 3, TN_PER_CONTACT, 0},
    {"contacts/normal", "1", "from a to b, world", TN_COLUMN_F64, 3, TN_PER_CONTACT, 0},
    {"contacts/gap", "m", "signed distance at the step's start", TN_COLUMN_F64, 1, TN_PER_CONTACT, 0},
    {"contacts/force", "N", "on body b, world axes", TN_COLUMN_F64, 3, TN_PER_CONTACT, 0},
    {"contacts/velocity", "m/s", "of b's point relative to a's, in the frame n t1 t2", TN_COLUMN_F64, 3, TN_PER_CONTACT,
     0},
    {"contacts/patch", "m", "edges of a foundation's element, at the step's start, world; zero: none", TN_COLUMN_F64, 3,
     TN_PER_EDGE, 0},
    {"contacts/offset", "1", "frame k has the contacts offset[k] to offset[k + 1] - 1", TN_COLUMN_I64, 1, TN_PER_FRAME,
     1},
    {"time", "s", "of each frame", TN_COLUMN_F64, 1, TN_PER_FRAME, 0},
};

static size_t type_bytes(tn_column_type type)
{
    switch (type) {
    case TN_COLUMN_U8:
        return 1;
    case TN_COLUMN_I32:
    case TN_COLUMN_F32:
        return 4;
    default:
        return 8;
    }
}

size_t tn_column_row_bytes(const tn_column *column, const tn_column_items *items)
{
    return type_bytes(column->type) * (size_t)column->width * (size_t)items->n[column->per];
}

int tn_column_dims(const tn_column *column, const tn_column_items *items, size_t dims[3])
{
    int n = 1;
    dims[1] = dims[2] = 1;
    if (!tn_column_once(column) && column->per != TN_PER_CONTACT) {
        dims[n++] = (size_t)items->n[column->per];
    }
    if (column->width > 1) {
        dims[n++] = (size_t)column->width;
    }
    return n;
}
