// Models of robots as found in the wild (scenes/robots/models): each loads and runs; its mass and center are those that
// MuJoCo 2.2.2 (Debian's) has for the same file at the same start, or that the file's numbers add up to; two formats of
// one mechanism move alike; what `convert` writes runs to the same bits.
#include "digest.h"
#include "gallery.h"

#include "tenon/dynamics.h"
#include "tenon/lcs_source.h"
#include "tenon/sensor.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>
#include <unistd.h>

typedef struct robot {
    const char *file;
    double mass, center[3]; // of all that moves, at the start [kg, m]
    int mobility;           // degrees of freedom less the rows of joints
} robot;

static const robot ROBOTS[] = {
    {"car.xml", 57.0, {-0.00438596491228, 0, 0.24298245614}, 15}, // the rack couples two of 16
    {"cartpole.xml", 1.1, {4.54545454545e-05, 0, 1.02727272727}, 2},
    {"double_pendulum.xml", 2.0, {-0.440238492628, 0, 1.28854448509}, 2},
    {"four_bar.xml", 2.874850964, {0.373190352915, 0.198158261066, 1.33635040909}, 6}, // 9 less a point in space
    {"hand.xml", 0.0926066116055, {0.082463499618, -0.0200788364286, 0.498908052216}, 9},
    {"hopper.xml", 15.8200134059, {0.0218402065268, 0, 0.596351029324}, 6},
    {"humanoid.xml", 40.8440212216, {0.219007214252, 0, 0.614451017376}, 27},
    {"panda.xml", 16.822132, {0.0253099063034, 0.00626819156907, 0.514220518354}, 8},
    {"quadruped.xml", 11.8, {-0.0129820706921, 0, 0.253831640969}, 18},
    // By hand, from the masses and origins of the file.
    {"double_pendulum.urdf", 2.0, {-0.440238492628, 0, 1.28854448509}, 2},
    {"gripper.urdf", 0.56, {0, 0, (0.1 * 0.05 + 0.06 * 0.1) / 0.56}, 7},
    {"arm.urdf",
     5.7,
     {(1.5 * 0.125 + 0.2 * 0.29) * 0.7833269096274834 / 5.7, 0,
      (4 * 0.26 + 1.7 * 0.46 + (1.5 * 0.125 + 0.2 * 0.29) * 0.6216099682706644) / 5.7},
     2},
};

static void models_load_and_run(void **unused)
{
    for (size_t i = 0; i < sizeof ROBOTS / sizeof *ROBOTS; i++) {
        char path[100];
        snprintf(path, sizeof path, "robots/models/%s", ROBOTS[i].file);
        scenario s = gallery_open(path, 0, NULL);
        double mass = 0.0, moment[3] = {0.0, 0.0, 0.0};
        for (int b = 1; b < s.model->n_bodies; b++) {
            const tn_model_body *body = &s.model->bodies[b];
            if (body->kind == TN_BODY_FREE) {
                double x[3], q[4], center[3];
                tn_state_body_pose(s.state, b, x, q);
                tn_quat_rotate(center, q, body->principal.position);
                tn_vec3_add(center, center, x);
                tn_vec3_madd(moment, moment, body->mass, center);
                mass += body->mass;
            }
        }
        print_message("%s: %.12g kg, center (%.6f, %.6f, %.6f)\n", ROBOTS[i].file, mass, moment[0] / mass,
                      moment[1] / mass, moment[2] / mass);
        check_near("mass [kg]", mass, ROBOTS[i].mass, 1e-11 * ROBOTS[i].mass);
        for (int k = 0; k < 3; k++) {
            check_near("center [m]", moment[k] / mass, ROBOTS[i].center[k], 1e-11);
        }
        double drift = 0.0, fastest = 0.0;
        while (tn_state_time(s.state) < brief_time(0.5)) {
            scenario_step(&s);
            drift = fmax(drift, s.report.solve.certificate.drift);
        }
        for (int b = 1; b < s.model->n_bodies; b++) {
            double v[3], w[3];
            tn_state_body_velocity(s.state, b, v, w);
            fastest = fmax(fastest, tn_vec3_norm(v));
        }
        check_below("joints apart [m, rad]", drift, 1e-6);
        check_below("fastest body, that fell for 0.5 s at most and was driven [m/s]", fastest, 8.0);
        int rows = 0;
        for (int j = 0; j < s.model->n_joints; j++) {
            rows += s.model->joints[j].bushing ? 0 : s.model->joints[j].n_holds; // dampers of balls hold nothing
        }
        assert_int_equal(s.model->n_dof - rows, ROBOTS[i].mobility);
        scenario_close(&s);
    }
}

// The same in the coordinates of the joints: solved so exactly that what is left open of the contacts' laws (1e-4 of
// the forces by default) moves nothing.
static void models_run_in_reduced_coordinates(void **unused)
{
    static const char *const exact = "solver.accuracy=tight", *const reduced[] = {"coordinates=reduced"};
    for (size_t i = 0; i < sizeof ROBOTS / sizeof *ROBOTS; i++) {
        char path[100];
        snprintf(path, sizeof path, "robots/models/%s", ROBOTS[i].file);
        scenario a = gallery_open(path, 1, &exact);
        tn_error error = {0};
        tn_scene *same = tn_scene_parse(tn_scene_text(a.model->scene), a.model->scene->path, 1, reduced, &error);
        if (!same) { // the same masses of frames
            scenario_fail(path, &error);
        }
        scenario b = scenario_start(same, path);
        double apart = 0.0;
        while (tn_state_time(a.state) < 0.02) {
            scenario_step(&a);
            scenario_step(&b);
        }
        for (int k = 1; k < a.model->n_bodies; k++) {
            double x[3], y[3], q[4];
            tn_state_body_pose(a.state, k, x, q);
            tn_state_body_pose(b.state, k, y, q);
            tn_vec3_sub(x, x, y);
            apart = fmax(apart, tn_vec3_norm(x));
        }
        print_message("%s: ", ROBOTS[i].file);
        check_below("apart from maximal coordinates after 0.02 s [m]", apart, 1e-8);
        scenario_close(&a);
        scenario_close(&b);
    }
}

// Three hinges at one point, with frames between, move a pendulum as a ball does: frames have next to no mass (that of
// maximal coordinates makes 9e-4 rad/s).
static void frames_are_massless(void **unused)
{
    static const char *const joints[2] = {"<joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/>",
                                          "<joint type='ball'/>"};
    static const char *const reduced[] = {"coordinates=reduced"};
    scenario s[2];
    for (int i = 0; i < 2; i++) {
        char text[500];
        tn_error error = {0};
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.0005'/><worldbody><body pos='0 0 1'>%s"
                 "<geom type='box' size='0.2 0.1 0.05' pos='0.3 0.1 0.2' mass='2'/></body></worldbody></mujoco>",
                 joints[i]);
        tn_scene *scene = tn_scene_parse(text, "pendulum.xml", 1, reduced, &error);
        if (!scene) {
            scenario_fail("pendulum", &error);
        }
        s[i] = scenario_start(scene, "pendulum");
        scenario_run(&s[i], 0.3);
    }
    int body[2] = {s[0].model->n_bodies - 1, s[1].model->n_bodies - 1};
    for (int b = 1; b < s[0].model->n_bodies; b++) { // frames may come first
        body[0] = s[0].model->bodies[b].mass > 1.0 ? b : body[0];
    }
    for (int k = 0; k < 3; k++) {
        check_near("spin [rad/s]", scenario_spin(&s[0], body[0], k), scenario_spin(&s[1], body[1], k), 1e-7);
    }
    scenario_close(&s[0]);
    scenario_close(&s[1]);
}

// One step of Craig's convention: about and along x of the link before, then about and along z.
static void craig(double frame[7], double alpha, double a, double d, double theta)
{
    double turn[4], shift[3];
    tn_quat_rotate(shift, frame + 3, (double[3]){a, 0, 0});
    tn_vec3_add(frame, frame, shift);
    tn_quat_from_axis_angle(turn, (double[3]){1, 0, 0}, alpha);
    tn_quat_mul(frame + 3, frame + 3, turn);
    tn_quat_rotate(shift, frame + 3, (double[3]){0, 0, d});
    tn_vec3_add(frame, frame, shift);
    tn_quat_from_axis_angle(turn, (double[3]){0, 0, 1}, theta);
    tn_quat_mul(frame + 3, frame + 3, turn);
}

// The arm's links stand where the Denavit-Hartenberg parameters of the maker's documentation put them.
static void panda_has_the_published_kinematics(void **unused)
{
    static const double a[7] = {0, 0, 0, 0.0825, -0.0825, 0, 0.088}, d[7] = {0.333, 0, 0.316, 0, 0.384, 0, 0};
    const double alpha[7] = {0, -PI / 2, PI / 2, PI / 2, -PI / 2, PI / 2, PI / 2};
    const double ready[7] = {0, -PI / 4, 0, -3 * PI / 4, 0, PI / 2, PI / 4};
    // The URDF file starts at 0, its fourth joint at the limit that is nearest.
    const double zero[7] = {0, 0, 0, -0.0698, 0, 0, 0};
    static const char *const files[] = {"robots/models/panda.xml", "robots/models/panda.urdf"};
    for (int f = 0; f < 2; f++) {
        scenario s = gallery_open(files[f], 0, NULL);
        double frame[7] = {0, 0, 0, 1, 0, 0, 0}, worst = 0.0;
        for (int k = 0; k < 7; k++) {
            char name[20];
            double x[3], q[4], z[3], axis[3];
            craig(frame, alpha[k], a[k], d[k], f == 0 ? ready[k] : zero[k]);
            snprintf(name, sizeof name, "link%d", k + 1);
            tn_state_body_pose(s.state, tn_model_find_body(s.model, name), x, q);
            tn_quat_rotate(z, frame + 3, (double[3]){0, 0, 1});
            tn_quat_rotate(axis, q, (double[3]){0, 0, 1});
            for (int i = 0; i < 3; i++) {
                worst = fmax(worst, fmax(fabs(x[i] - frame[i]), fabs(z[i] - axis[i])));
            }
        }
        check_below("frames of the links [m, 1]", worst, 1e-14);
        scenario_close(&s);
    }
}

// What MJCF says of a start in motion, of springs, dampers and armatures at several joints of a body, ball joints and
// free bodies, and of a sensor on a body that is welded on.
static const char MOTION[] =
    "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>"
    "<body name='upper' pos='0 0 1'><joint axis='0 0 1'/><joint axis='0 1 0' pos='0.02 0.18 0.2' armature='0.05'/>"
    "<joint axis='1 0 0' armature='0.02'/><geom type='box' size='0.1 0.2 0.05' pos='0.1 0.2 0' mass='2'/>"
    "<body name='lower' pos='0.3 0 0'><joint type='ball' stiffness='3' damping='0.2'/>"
    "<geom type='box' size='0.2 0.1 0.05' pos='0.2 0.1 0' mass='1'/><body name='hand' pos='0.4 0.1 0' euler='20 30 40'>"
    "<geom type='box' size='0.05 0.04 0.03' pos='0 0 0.1' mass='0.5'/>"
    "<site name='wrist' pos='0.01 0.02 0.03' euler='10 0 0'/></body></body></body>"
    "<body name='loose' pos='1 0 0' euler='0 0 30'><joint type='free' damping='0.8' stiffness='2'/>"
    "<geom type='box' size='0.1 0.2 0.3' pos='0.1 0 0' mass='1.5'/></body></worldbody>"
    "<sensor><force site='wrist'/><torque site='wrist'/></sensor>"
    "<keyframe><key qpos='0.1 0.2 -0.3 -0.8 0.6 0 0 1.1 0.2 0.3 0.6 0 0.8 0'"
    " qvel='1 -2 1.5 1 0.5 -1 0.5 -1 2 1 2 -1'/></keyframe></mujoco>";
enum { N_MOTION = 18 }; // positions of four bodies, force, torque

static scenario moved(const char *text, const char *step)
{
    const char *const set[] = {"coordinates=reduced", step};
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "motion.xml", 2, set, &error);
    if (!scene) {
        scenario_fail("motion", &error);
    }
    scenario s = scenario_start(scene, "motion");
    scenario_run(&s, 0.1);
    return s;
}

static void move(const char *step, double out[N_MOTION])
{
    static const char *const bodies[] = {"upper", "lower", "hand", "loose"};
    scenario s = moved(MOTION, step);
    tn_error error = {0};
    for (int i = 0; i < 4; i++) {
        double q[4];
        tn_state_body_pose(s.state, tn_model_find_body(s.model, bodies[i]), out + 3 * i, q);
    }
    tn_sensors *sensors = tn_sensors_create(s.model, &error);
    assert_true(sensors && tn_sensors_read(sensors, s.sim, s.state, out + 12, &error) == TN_OK);
    tn_sensors_destroy(sensors);
    scenario_close(&s);
}

// Numbers of MuJoCo 2.2.2 (Debian's) for the same file: RK4, steps of 10 us, sensors after mj_step1.
static void moves_as_mujoco(void **unused)
{
    static const double there[N_MOTION] = {
        -0.00559077293012, -0.000702798569236, 1.00064389047,   0.29194812904,   0.0366998856768, 0.992179788282,
        0.670324281319,    0.153045740798,     0.876875281074,  1.11715948037,   0.0888370069372, 0.452347399959,
        0.228364815561,    2.52711987842,      -0.969533856355, -0.218375573923, 0.0334707703868, -0.0784550411033};
    double coarse[N_MOTION], fine[N_MOTION];
    move("step=0.5 ms", coarse);
    move("step=0.25 ms", fine);
    for (int i = 0; i < N_MOTION; i++) {
        check_near(i < 12 ? "position for steps that tend to zero [m]" : "force or torque [N, N m]",
                   2.0 * fine[i] - coarse[i], there[i], i < 12 ? 1e-6 : 5e-4);
    }
}

// A spring and damper, with what classes say, and a servo on tendons over joints that nothing couples.
static const char TENDONS[] =
    "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/>"
    "<default class='cord'><tendon damping='0.4'/></default></default><worldbody><body name='one' pos='0 0 1'>"
    "<joint name='ja' axis='0 1 0' ref='0.2' springref='0.3'/><geom type='box' size='0.2 0.05 0.03' pos='0.2 0 0' "
    "mass='2'/><body name='two' pos='0.4 0 0'><joint name='jb' axis='0 1 0' springref='-0.2'/>"
    "<geom type='box' size='0.2 0.05 0.03' pos='0.2 0 0' mass='1'/><body name='three' pos='0.4 0 0'>"
    "<joint name='jc' type='slide' axis='1 0 0'/><geom type='sphere' size='0.05' mass='0.5'/></body></body></body>"
    "</worldbody><tendon><fixed name='pull' class='cord' stiffness='30'><joint joint='ja' coef='0.5'/>"
    "<joint joint='jb' coef='-2'/></fixed><fixed name='draw'><joint joint='jb' coef='0.1'/>"
    "<joint joint='jc' coef='-1'/></fixed><fixed name='look'><joint joint='ja' coef='3'/>"
    "<joint joint='jc' coef='1'/></fixed></tendon><actuator><position name='drawer' tendon='draw' kp='20' "
    "gear='2'/></actuator>"
    "<sensor><jointpos joint='jb'/><jointvel joint='jb'/><tendonpos tendon='pull'/><tendonvel tendon='pull'/>"
    "<tendonpos tendon='look'/><tendonvel tendon='look'/><actuatorpos actuator='drawer'/>"
    "<actuatorvel actuator='drawer'/></sensor>"
    "<keyframe><key qpos='0.3 -0.1 0.05' qvel='1 -2 0.5' ctrl='0.1'/></keyframe></mujoco>";

// A coordinate with all that may act in it.
static const char JOINT[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='arm'><joint name='j' axis='0 1 0' limited='true' "
    "range='-1 1' stiffness='2' springref='0.2' damping='0.3' armature='0.01' frictionloss='0.1' "
    "solreffriction='0.0005 1' solimpfriction='0.9999 0.9999 .001'/><geom type='box' size='0.2 0.05 0.03' "
    "pos='0.2 0 0' mass='2'/><site name='tip' pos='1 0 0'/></body></worldbody><actuator><position joint='j' kp='30'/>"
    "</actuator><keyframe><key qpos='-0.3' qvel='-1' ctrl='0.1'/></keyframe></mujoco>";

// A hinge that is also welded, so that nine of its ten rows are of no use, and a chain with frames on it.
static const char LOOP[] =
    "<mujoco><default><geom contype='0' conaffinity='0'/><equality solref='0.0004 1' solimp='0.9999 0.9999 0.001'/>"
    "</default><worldbody><body name='hub'><joint/><geom size='0.18' mass='0.4'/><body name='load' pos='0.34 0.35 0.2'>"
    "<joint axis='-0.87 -0.47 -0.11'/><joint/><geom size='0.14' pos='0.33 0 -0.15'/></body></body></worldbody>"
    "<equality><weld body1='hub'/></equality><keyframe><key qvel='0 2 -1'/></keyframe></mujoco>";

// Straight tendons: a spring at rest where the joints' springs are, one with a length, a servo.
static const char STRAIGHT[] =
    "<mujoco><compiler angle='radian'/><default><geom contype='0' conaffinity='0'/></default><worldbody><site "
    "name='w' pos='0.1 0.2 1.5'/><body name='a' pos='0 0 1'><joint axis='0 1 0' springref='0.3'/><geom type='box' "
    "size='0.2 0.05 0.03' pos='0.2 0 0' mass='2'/><site name='sa' pos='0.3 0 0.02'/><body name='b' pos='0.4 0 "
    "0'><joint type='ball'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' mass='1'/><site name='sb' pos='0.3 "
    "0.1 0'/></body></body><body name='c' pos='0.2 0.5 1'><freejoint/><geom type='box' size='.1 .2 .3'/><site "
    "name='sc' pos='0.1 0 0.3'/></body></worldbody><tendon><spatial name='t1' stiffness='200' damping='1'><site "
    "site='w'/><site site='sb'/></spatial><spatial name='t2' stiffness='50' springlength='0.2'><site "
    "site='sc'/><site site='sa'/></spatial><spatial name='t3'><site site='w'/><site "
    "site='sc'/></spatial></tendon><actuator><position name='p' tendon='t3' kp='300'/></actuator><keyframe><key "
    "qpos='0.2 0.9 0.1 0.2 0.1 0.3 0.6 1.1 0.8 0.6 0 0' qvel='1 0.5 -1 1 0 0 0 1 2 1' "
    "ctrl='0.5'/></keyframe></mujoco>";

// A cord over four sites with a branch behind a pulley, one of three joints, and a servo on the first.
static const char CORDS[] =
    "<mujoco><compiler autolimits='true' angle='radian'/><default><geom contype='0' "
    "conaffinity='0'/></default><worldbody><site name='w' pos='0.1 0.2 1.6'/><site name='x' pos='0.6 0.2 "
    "1.5'/><body name='a' pos='0 0 1'><joint name='ja' axis='0 1 0'/><geom type='box' size='0.2 0.05 "
    "0.03' pos='0.2 0 0' mass='2'/><site name='sa' pos='0.3 0 0.1'/><body name='b' pos='0.4 0 0'><joint "
    "name='jb' axis='0 1 0'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' mass='1'/><site "
    "name='sb' pos='0.3 0.1 0'/><body name='c' pos='0.4 0 0'><joint name='jc' axis='0 0 1'/><geom "
    "type='box' size='0.2 0.1 0.03' pos='0.2 0 0' mass='1'/><site name='sc' pos='0.2 0.1 "
    "0'/></body></body></body></worldbody><tendon><spatial name='t1' stiffness='20' springlength='0.5' "
    "damping='1'><site site='w'/><site site='sa'/><site site='sb'/><site site='x'/><pulley "
    "divisor='2.5'/><site site='sc'/><site site='x'/><site site='w'/></spatial><fixed name='t2' "
    "stiffness='2' springlength='0.3' damping='0.2'><joint joint='ja' coef='0.5'/><joint joint='jb' "
    "coef='-1'/><joint joint='jc' coef='0.8'/></fixed></tendon><actuator><position tendon='t1' kp='8' "
    "gear='0.5'/></actuator><sensor><tendonpos tendon='t1'/><tendonvel tendon='t1'/><tendonpos "
    "tendon='t2'/><tendonvel tendon='t2'/></sensor><keyframe><key qpos='0.2 0.9 0.1' qvel='1 0.5 -1' "
    "ctrl='0.4'/></keyframe></mujoco>";

// Cords round a cylinder and a sphere, on a side of it and along the shorter way.
static const char ROUND[] =
    "<mujoco><compiler autolimits='true' angle='radian'/><default><geom contype='0' "
    "conaffinity='0'/></default><worldbody><site name='w' pos='0.1 -0.3 1.3'/><site name='x' pos='0.6 "
    "0.2 1.5'/><body name='a' pos='0 0 1'><joint name='ja' axis='0 1 0'/><geom type='box' size='0.2 0.05 "
    "0.03' pos='0.2 0 0' mass='2'/><geom name='g1' type='cylinder' size='0.08 0.3' pos='0.1 0 0.05' "
    "euler='1.5 0 0.2' mass='0.1'/><site name='sa' pos='0.3 0.2 0.1'/><body name='b' pos='0.4 0 "
    "0'><joint name='jb' axis='0 1 0'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' "
    "mass='1'/><geom name='g2' type='sphere' size='0.07' mass='0.1'/><site name='sb' pos='0.2 0 "
    "0.02'/><site name='up' pos='0 -0.2 0.02'/><body name='c' pos='0.4 0 0'><joint name='jc' axis='0 0 "
    "1'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' mass='1'/><site name='sc' pos='0.2 0.1 "
    "0'/></body></body></body></worldbody><tendon><spatial name='t1' stiffness='20' springlength='0.5' "
    "damping='1'><site site='w'/><geom geom='g1'/><site site='sa'/><geom geom='g2' sidesite='up'/><site "
    "site='sb'/><pulley divisor='2.5'/><site site='x'/><geom geom='g2'/><site site='sb'/><site "
    "site='sc'/></spatial></tendon><actuator><position tendon='t1' kp='8' "
    "gear='0.5'/></actuator><sensor><tendonpos tendon='t1'/><tendonvel "
    "tendon='t1'/></sensor><keyframe><key qpos='0.2 0.9 0.1' qvel='1 0.5 -1' "
    "ctrl='0.4'/></keyframe></mujoco>";

// A net between two pins, whose tendons give way a little.
static const char NET[] =
    "<mujoco><option gravity='3 2 -9.81'><flag contact='disable'/></option><worldbody><composite "
    "type='grid' count='3 4 1' spacing='0.1' offset='0 0 1'><pin coord='0 0'/><pin coord='2 0'/><joint "
    "kind='main' damping='0.05'/><tendon kind='main' solreffix='0.0003 1' solimpfix='0.9999 0.9999 0.01 "
    "0.5 2'/><tendon kind='shear' solreffix='0.0003 1' solimpfix='0.9999 0.9999 0.01 0.5 2'/><geom "
    "size='.02'/></composite></worldbody></mujoco>";

// A rope from one of its links, with defaults of the file that it does not take.
static const char ROPE[] =
    "<mujoco><compiler angle='radian'/><option gravity='3 2 -9.81'/><default><geom density='333'/><joint "
    "damping='5' armature='2'/></default><worldbody><body name='xB1' pos='0 0 1'><composite prefix='x' "
    "type='rope' count='4 1 1' spacing='0.1'><joint kind='main' damping='0.005' stiffness='0.01'/><geom "
    "type='capsule' size='.01 .03' contype='0'/></composite></body></worldbody></mujoco>";

// Servos by integrators, dampers, fast filters.
static const char ACTIVE[] =
    "<mujoco><compiler autolimits='true' angle='radian'/><default><geom contype='0' "
    "conaffinity='0'/></default><worldbody><body name='a' pos='0 0 1'><joint name='ja' axis='0 1 0'/><geom "
    "type='box' size='0.2 0.05 0.03' pos='0.2 0 0' mass='2'/><body name='b' pos='0.4 0 0'><joint name='jb' axis='0 1 "
    "0'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' mass='1'/><body name='c' pos='0.4 0 0'><joint name='jc' "
    "axis='0 0 1'/><geom type='box' size='0.2 0.1 0.03' pos='0.2 0 0' "
    "mass='1'/></body></body></body></worldbody><actuator><damper joint='jb' kv='3' ctrlrange='0 1'/><intvelocity "
    "joint='ja' kp='30' ctrlrange='-1 1' actrange='-2 2'/><general joint='jc' dyntype='filter' dynprm='0.001' "
    "gainprm='20' biastype='affine' biasprm='0 -20'/></actuator><keyframe><key qpos='0.2 0.9 0.1' qvel='1 0.5 -1' "
    "ctrl='0.5 0 0.3' act='0.4 0.3'/></keyframe></mujoco>";

// Quaternions and positions of bodies 0.1 s later, by MuJoCo as above.
static const struct moved {
    const char *text, *body;
    double quaternion[4], position[3];
} MOVED[] = {
    {TENDONS, "two", {0.999488320308, 0, 0.0319858963752, 0}, {0.389659902665, 0, 0.909638723697}},
    {TENDONS, "three", {0.999488320308, 0, 0.0319858963752, 0}, {0.80032576961, 0, 0.883327296005}},
    {STRAIGHT, "a", {0.97829089919, 0, 0.207236378472, 0}, {0, 0, 1}},
    {STRAIGHT,
     "b",
     {0.940083015613, 0.111414622248, 0.302263429159, 0.111658072246},
     {0.36564246675, 0, 0.837810029568}},
    {STRAIGHT,
     "c",
     {0.760314031503, 0.640293742135, 0.0485457361503, 0.0979275690761},
     {0.300162770488, 0.599340157559, 1.04984610672}},
    {ACTIVE, "a", {0.970249091238, 0, 0.242108861779, 0}, {0, 0, 1}},
    {CORDS, "b", {0.812063169757, 0, 0.583569540264, 0}, {0.399611628433, 0, 0.982377672659}},
    {CORDS,
     "c",
     {0.801722513483, 0.0928324434902, 0.576138477937, 0.129180505691},
     {0.527168901774, 0, 0.603261408147}},
    {ROUND, "b", {0.814155446165, 0, 0.580646974917, 0}, {0.374280547687, 0, 0.85888277347}},
    {ROUND,
     "c",
     {0.813992845842, 0.0116041281323, 0.580531010103, 0.0162707540468},
     {0.504559820102, 0, 0.480693255928}},
    {NET, "B2_3", {1, 0, 0, 0}, {0.0519471388619, 0.0902498253074, 0.953302854561}},
    {NET, "B1_2", {1, 0, 0, 0}, {-0.0490145750007, -0.0087790264587, 0.953442136803}},
    {ROPE,
     "xB3",
     {0.987707794567, 0.00377270076464, 0.15322647352, 0.0306712747125},
     {0.193731615915, 0.00855790618223, 0.95803095026}},
    {ROPE,
     "xB0",
     {0.995497495787, 0.00175146714725, -0.0928944262444, -0.0187694916642},
     {-0.0991018331755, 0.00188476834846, 0.990755670545}},
    {ACTIVE, "b", {0.824434472147, 0, 0.565957419897, 0}, {0.353106639238, 0, 0.812075277503}},
    {ACTIVE,
     "c",
     {0.814800401762, 0.0862686725119, 0.559343827426, 0.125668230479},
     {0.496860398329, 0, 0.438799432118}},
    {LOOP, "load", {0.995431561346, -0.00194320507053, -0.00130290243741, -0.0954491124959}, {0.34, 0.35, 0.2}},
    {JOINT, "arm", {0.996426703658, 0, 0.0844619691814, 0}, {0, 0, 0}},
};

static void bodies_end_as_in_mujoco(void **unused)
{
    for (size_t i = 0; i < sizeof MOVED / sizeof *MOVED; i++) {
        double x[2][3], q[2][4];
        for (int k = 0; k < 2; k++) {
            scenario s = moved(MOVED[i].text, k ? "step=0.25 ms" : "step=0.5 ms");
            tn_state_body_pose(s.state, scenario_body(&s, MOVED[i].body), x[k], q[k]);
            scenario_close(&s);
        }
        for (int k = 0; k < 3; k++) {
            check_near("position for steps that tend to zero [m]", 2.0 * x[1][k] - x[0][k], MOVED[i].position[k], 3e-6);
        }
        for (int k = 0; k < 4; k++) {
            check_near("quaternion for steps that tend to zero", 2.0 * q[1][k] - q[0][k], MOVED[i].quaternion[k], 3e-5);
        }
    }
}

// Lengths and rates of joints, tendons and actuators, as MuJoCo counts them.
static void coordinates_read_as_in_mujoco(void **unused)
{
    static const double there[] = {-0.163887388672, 0.331332767234, 0.541709824682,   0.213853403907,
                                   1.29511817643,   4.14959374022,  -0.0557932625188, 2.2853063335};
    enum { N = sizeof there / sizeof *there };
    double read[2][N];
    for (int k = 0; k < 2; k++) {
        scenario s = moved(TENDONS, k ? "step=0.25 ms" : "step=0.5 ms");
        tn_error error = {0};
        tn_sensors *sensors = tn_sensors_create(s.model, &error);
        assert_int_equal(tn_model_reading_count(s.model), N);
        assert_true(sensors && tn_sensors_read(sensors, s.sim, s.state, read[k], &error) == TN_OK);
        tn_sensors_destroy(sensors);
        scenario_close(&s);
    }
    for (int i = 0; i < N; i++) {
        check_near("length or rate for steps that tend to zero", 2.0 * read[1][i] - read[0][i], there[i], 4e-3);
    }
}

// Two slides and a hinge are one planar joint here, whose slides are in another order.
static void coordinates_are_found_by_the_file_names(void **unused)
{
    scenario s = gallery_open("robots/models/hopper.xml", 0, NULL);
    static const char *const names[] = {"rootx", "rootz", "rooty", "foot_joint"};
    tn_error error = {0};
    tn_dynamics *dynamics = tn_dynamics_create(s.model, &error);
    double coordinate[6] = {0.0}, before[3], after[3], q[4];
    int torso = tn_model_find_body(s.model, "torso"), n = tn_model_coordinate_count(s.model);
    assert_true(dynamics && n == 6);
    tn_state_body_pose(s.state, torso, before, q);
    for (int i = 0; i < 4; i++) {
        int k = tn_model_find_coordinate(s.model, names[i]);
        assert_in_range(k, 0, n - 1);
        coordinate[k] = 0.125 * (i + 1);
    }
    assert_int_equal(tn_dynamics_set(dynamics, s.state, coordinate, NULL, &error), TN_OK);
    tn_state_body_pose(s.state, torso, after, q);
    check_near("along x [m]", after[0] - before[0], 0.125, 1e-14);
    check_near("along z [m]", after[2] - before[2], 0.25, 1e-14);
    check_near("turned [rad]", 2.0 * atan2(q[2], q[0]), 0.375, 1e-14);
    assert_int_equal(tn_model_find_coordinate(s.model, "rooty"), tn_model_find_coordinate(s.model, "rootx:turn"));
    assert_int_equal(tn_model_find_coordinate(s.model, "foot_joint"),
                     tn_model_find_coordinate(s.model, "foot_joint:turn"));
    static const char *const none[] = {"", "root", "rootx:", "rootx:turn2", "foot_joint:slide", "foot_joint:turn:"};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tn_model_find_coordinate(s.model, none[i]), -1);
    }
    tn_dynamics_destroy(dynamics);
    scenario_close(&s);
}

// So are those that a scene starts at, and those of a system of complementarity.
static void starts_are_found_by_the_file_names(void **unused)
{
    const char *set[] = {"initial.joints.rootx={coordinate: 0.125, rate: 0.5}", "initial.joints.rootz=0.25",
                         "initial.joints.rooty={rate: 0.375}", "initial.joints.foot_joint=-0.25"};
    scenario s = gallery_open("robots/models/hopper.xml", 4, set);
    static const char *const names[] = {"rootx", "rootz", "rooty", "foot_joint"};
    static const double place[] = {0.125, 0.25, 0.0, -0.25}, rate[] = {0.5, 0.0, 0.375, 0.0};
    double q[6], qd[6], x[8];
    tn_state_get_coordinates(s.state, q, qd);
    for (int i = 0; i < 4; i++) {
        int k = tn_model_find_coordinate(s.model, names[i]);
        check_near(names[i], q[k], place[i], 1e-14);
        check_near(names[i], qd[k], rate[i], 1e-14);
    }
    tn_error error = {0};
    tn_lcs_options options = tn_lcs_options_default();
    options.coordinates = names;
    options.n_coordinates = 4;
    options.inputs = (const char *[]){"foot_joint"};
    options.n_inputs = 1;
    tn_lcs_source *source = tn_lcs_source_create(s.model, &options, &error);
    assert_true(source && tn_lcs_source_read(source, s.state, x, &error) == TN_OK);
    for (int i = 0; i < 4; i++) {
        check_near("coordinate", x[i], place[i], 1e-14);
        check_near("rate", x[4 + i], rate[i], 1e-14);
    }
    tn_lcs_source_destroy(source);
    scenario_close(&s);
}

static void two_formats_move_alike(void **unused)
{
    scenario a = gallery_open("robots/models/double_pendulum.urdf", 0, NULL);
    scenario b = gallery_open("robots/models/double_pendulum.xml", 0, NULL);
    double worst = 0.0, moved = 0.0;
    for (int k = 0; k < 200; k++) {
        scenario_step(&a);
        scenario_step(&b);
        double x[3], y[3], q[4];
        tn_state_body_pose(a.state, tn_model_find_body(a.model, "lower"), x, q);
        tn_state_body_pose(b.state, tn_model_find_body(b.model, "lower"), y, q);
        tn_vec3_sub(y, y, x);
        worst = fmax(worst, tn_vec3_norm(y));
        moved = fmax(moved, x[0]);
    }
    check_below("double pendulum by URDF and MJCF, off within 2 s [m]", worst, 1e-12);
    assert_true(moved > 0.3);
    scenario_close(&a);
    scenario_close(&b);
    const char *const start[] = {"gravity=[0,0,0]"};
    a = gallery_open("robots/models/panda.urdf", 1, start);
    b = gallery_open("robots/models/panda.xml", 1, start);
    for (int k = 1; k <= 7; k++) { // masses and moments, as the start is another
        char name[20];
        snprintf(name, sizeof name, "link%d", k);
        const tn_model_body *one = &a.model->bodies[tn_model_find_body(a.model, name)];
        const tn_model_body *two = &b.model->bodies[tn_model_find_body(b.model, name)];
        check_near("mass of a link of the arm [kg]", one->mass, two->mass, 1e-15);
        for (int i = 0; i < 3; i++) {
            check_near("principal moment [kg m^2]", one->inertia[i], two->inertia[i], 1e-15);
        }
    }
    scenario_close(&a);
    scenario_close(&b);
}

static void what_is_converted_runs_to_the_same_bits(void **unused)
{
    for (size_t i = 0; i < sizeof ROBOTS / sizeof *ROBOTS; i++) {
        char path[4096], out[] = "/tmp/tenon_convert_XXXXXX";
        int number = mkstemp(out);
        assert_true(number >= 0);
        close(number);
        snprintf(path, sizeof path, "%s/scenes/robots/models/%s", TENON_SOURCE_DIR, ROBOTS[i].file);
        tn_error error = {0};
        tn_scene *scene = tn_scene_load(path, 0, NULL, &error), *again = NULL;
        if (!scene || tn_scene_write(scene, out, &error) != TN_OK || !(again = tn_scene_load(out, 0, NULL, &error))) {
            scenario_fail(ROBOTS[i].file, &error);
        }
        scenario a = scenario_start(scene, path), b = scenario_start(again, out);
        assert_true(digest_run(&a, 20, TN_HASH_START) == digest_run(&b, 20, TN_HASH_START));
        scenario_close(&a);
        scenario_close(&b);
        unlink(out);
    }
}

// The arm lays a mat over: every step within the tolerances, by sweeps over nodes; the held edge ends on the other
// side, the far one has stayed where it was.
static void arm_folds_mat(void **unused)
{
    // Coarse elements bend stiffly.
    const char *const coarse[] = {"soft.mat.grid.divisions=[14, 14, 1]", "soft.mat.young=20 kPa"};
    scenario s = gallery_open("cond/arm_mat.yaml", 2, coarse);
    const double *x = tn_state_nodes(s.state, tn_model_find_body(s.model, "mat"));
    int n = tn_model_node_count(s.model, tn_model_find_body(s.model, "mat")), held = 0, far = 0;
    for (int i = 0; i < n; i++) { // at the middles of both edges
        held = fabs(x[3 * i] - 0.5) < 0.01 && x[3 * i + 1] < -0.19 ? i : held;
        far = fabs(x[3 * i] - 0.5) < 0.01 && x[3 * i + 1] > 0.19 ? i : far;
    }
    double start = x[3 * far + 1];
    for (int i = 0; i < (BRIEF ? 30 : 1000); i++) {
        scenario_step(&s);
        const tn_certificate *c = &s.report.solve.certificate;
        assert_string_equal(s.report.solve.solver, "nodal");
        assert_true(c->momentum <= 1e-6 && c->natural <= 1e-6 && c->joint <= 1e-6 && c->penetration < 1e-8);
    }
    x = tn_state_nodes(s.state, tn_model_find_body(s.model, "mat"));
    if (!BRIEF) {
        check_near("the held edge [m]", x[3 * held + 1], 0.175, 0.02);
        check_near("the other one has moved by [m]", x[3 * far + 1] - start, 0.0, 0.02);
    }
    scenario_close(&s);
}

// The arm draws the cable taut, by 2 %, and lifts its end.
static void arm_draws_cable(void **unused)
{
    scenario s = gallery_open("cond/arm_cable.yaml", 1, (const char *[]){"rods.cable.segments=40"});
    tn_joint_info root;
    scenario_run(&s, 1.0);
    tn_sim_joint(s.sim, s.state, tn_model_find_joint(s.model, "cable[0]"), &root);
    check_near("tension [N]", tn_vec3_norm(root.force), 2.954e6 * PI * 4e-6 * (hypot(0.408, 0.0347) / 0.4 - 1.0), 0.02);
    scenario_close(&s);
}

// A program moves a mocap body by tn_input.motion, and what is welded to it follows, as far as it can: out of reach
// the weld gives way.
static void a_hand_follows_a_mocap_body(void **unused)
{
    static const char text[] = // six hinges, so that the hand can be anywhere near
        "<mujoco><option timestep='0.01'/><default><geom contype='0' conaffinity='0' size='0.04'/></default><worldbody>"
        "<body name='aim' mocap='true' pos='0.6 0 0.9'/>"
        "<body pos='0 0 0.5'><joint axis='0 0 1'/><joint axis='0 1 0'/><geom pos='0.1 0 0.2'/>"
        "<body pos='0.2 0 0.4'><joint axis='0 1 0'/><geom pos='0.2 0 0'/>"
        "<body name='hand' pos='0.4 0 0'><joint axis='1 0 0'/><joint axis='0 1 0'/><joint axis='0 0 1'/><geom/></body>"
        "</body></body></worldbody><equality><weld body1='aim' body2='hand'/></equality></mujoco>";
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "arm.xml", 0, NULL, &error);
    if (!scene) {
        scenario_fail("arm", &error);
    }
    scenario s = scenario_start(scene, "arm");
    int aim = tn_model_find_body(s.model, "aim"), hand = tn_model_find_body(s.model, "hand");
    double motion[16][7], pose[16][7], off = 0.0;
    assert_true(tn_model_body_count(s.model) <= 16);
    for (int b = 0; b < 16; b++) {
        motion[b][0] = NAN;
    }
    s.input = &(tn_input){.motion = motion[0]};
    for (int k = 1; k <= 100; k++) {
        double t = 0.01 * k, a = 0.15 * sin(t);
        memcpy(motion[aim], (double[]){0.6 - 0.1 * t, 0.1 * sin(3.0 * t), 0.9, cos(a), 0.0, 0.0, sin(a)},
               sizeof *motion);
        scenario_step(&s);
        tn_state_get_bodies(s.state, pose[0], NULL);
        for (int i = 0; i < 3; i++) {
            off = fmax(off, fabs(pose[hand][i] - motion[aim][i]) + fabs(pose[hand][3 + i] - motion[aim][3 + i]));
        }
    }
    check_near("a hand is behind a mocap body by [m, 1]", off, 0.0, 2e-3);
    for (int k = 0; k < 200; k++) {
        motion[aim][0] = k < 100 ? 2.0 : 0.5;
        scenario_step(&s);
        tn_state_get_bodies(s.state, pose[0], NULL);
        if (k == 99) { // the arm is stretched towards it, from 0.4 m below
            check_near("a hand whose mocap body is out of reach is at [m]", pose[hand][0],
                       (sqrt(0.2) + 0.4) * 2.0 / hypot(2.0, 0.4), 2e-3);
        }
    }
    check_near("a hand is back at its mocap body [m]", pose[hand][0], motion[aim][0], 2e-3);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_load_and_run),
        cmocka_unit_test(models_run_in_reduced_coordinates),
        cmocka_unit_test(frames_are_massless),
        cmocka_unit_test(panda_has_the_published_kinematics),
        cmocka_unit_test(two_formats_move_alike),
        cmocka_unit_test(what_is_converted_runs_to_the_same_bits),
        cmocka_unit_test(moves_as_mujoco),
        cmocka_unit_test(bodies_end_as_in_mujoco),
        cmocka_unit_test(coordinates_read_as_in_mujoco),
        cmocka_unit_test(coordinates_are_found_by_the_file_names),
        cmocka_unit_test(starts_are_found_by_the_file_names),
        cmocka_unit_test(a_hand_follows_a_mocap_body),
        cmocka_unit_test(arm_folds_mat),
        cmocka_unit_test(arm_draws_cable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
