// Sensors against what they must read: at rest, in free fall, of a spin, under a weight on a lever, along a ray; noise
// with its moments, the same bits after a checkpoint and for any number of threads; no request for memory.
#include "scenario.h"

#include "base/memory.h"
#include "tenon/record.h"
#include "tenon/sensor.h"

#include <string.h>
#include <unistd.h>

// What a named sensor reads now.
static const double *reading(const scenario *s, const char *name)
{
    static double all[256];
    tn_error error = {0};
    tn_sensors *sensors = tn_sensors_create(s->model, &error);
    assert_non_null(sensors);
    assert_true(tn_model_reading_count(s->model) <= 256);
    assert_int_equal(tn_sensors_read(sensors, s->sim, s->state, all, &error), TN_OK);
    tn_sensors_destroy(sensors);
    int i = tn_model_find_sensor(s->model, name);
    assert_true(i >= 0);
    return all + tn_model_first_reading(s->model, i);
}

static double off(const double *is, double x, double y, double z)
{
    return fmax(fabs(is[0] - x), fmax(fabs(is[1] - y), fabs(is[2] - z)));
}

static void steps(scenario *s, int n)
{
    scenario_steps(s, n);
}

// A box at rest on the floor, turned by 90 degrees about y with its mount; one that falls; one that spins.
static const char bodies[] =
    "solver: {tolerance: {natural: 1e-12}}\nbodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  lies: {position: [0, 0, 5 cm], mass: 3, shape: {box: [20 cm, 20 cm, 10 cm]}}\n"
    "  falls: {position: [5, 0, 99], velocity: [1, 2, 3], angular_velocity: [0, 0, 4], mass: 1, shape: {sphere: 10 "
    "cm}}\n"
    "sensors:\n"
    "  rest: {type: accelerometer, body: lies, rotation: {axis: [0, 1, 0], angle: 90 deg}}\n"
    "  fall: {type: accelerometer, body: falls}\n"
    "  drop: {type: acceleration, body: falls}\n"
    "  gyro: {type: gyroscope, body: falls, rotation: {axis: [1, 0, 0], angle: 90 deg}}\n"
    "  rim: {type: velocity, body: falls, position: [10 cm, 0, 0]}\n"
    "  speed: {type: velocimeter, body: falls, position: [10 cm, 0, 0]}\n"
    "  spin: {type: angular_velocity, body: falls}\n"
    "  place: {type: position, body: falls, position: [10 cm, 0, 0]}\n"
    "  turn: {type: orientation, body: falls}\n"
    "  ahead: {type: direction, body: falls, rotation: {axis: [0, 1, 0], angle: 90 deg}}\n"
    "  ground: {type: contact_force, body: lies, rotation: {axis: [1, 0, 0], angle: 180 deg}}\n"
    "  below: {type: contact_force, body: floor}\n"
    "  touch: {type: touch, body: lies}\n"
    "  half: {type: touch, body: lies, position: [10 cm, 0, -5 cm], pad: [2 cm, 1, 2 cm]}\n"
    "  away: {type: touch, body: lies, position: [0, 0, 5 cm], pad: [1, 1, 1 cm]}\n"
    "  radar: {type: range, body: falls, rotation: {axis: [0, 1, 0], angle: 180 deg}}\n"
    "  slant: {type: range, body: lies, position: [0, 0, 1], rotation: {axis: [1, 0, 0], angle: 120 deg}}\n"
    "  sky: {type: range, body: lies, reach: 7}\n";

static void test_bodies(void **unused)
{
    scenario s = scenario_open(bodies);
    assert_true(isnan(reading(&s, "rest")[0]) && isnan(reading(&s, "touch")[0]) && !isnan(reading(&s, "gyro")[0]));
    steps(&s, 10);
    const double t = 0.1, weight = 3.0 * GRAVITY;
    check_below("accelerometer at rest", off(reading(&s, "rest"), -GRAVITY, 0.0, 0.0), 1e-9);
    check_below("accelerometer in free fall", off(reading(&s, "fall"), 0.0, 0.0, 0.0), 1e-11);
    check_below("acceleration in free fall", off(reading(&s, "drop"), 0.0, 0.0, -GRAVITY), 1e-11);
    check_below("gyroscope", off(reading(&s, "gyro"), 0.0, 4.0, 0.0), 1e-13);
    check_below("angular velocity", off(reading(&s, "spin"), 0.0, 0.0, 4.0), 1e-13);
    double c = cos(4.0 * t), n = sin(4.0 * t), vz = 3.0 - GRAVITY * t;
    check_below("velocity", off(reading(&s, "rim"), 1.0 - 0.4 * n, 2.0 + 0.4 * c, vz), 1e-12);
    check_below("velocimeter", off(reading(&s, "speed"), c + 2.0 * n, 0.4 + 2.0 * c - n, vz), 1e-12);
    check_below("position", off(reading(&s, "place"), 5.1 + 0.1 * c, 0.2 + 0.1 * n, reading(&s, "place")[2]), 1e-12);
    check_below("direction of its x", off(reading(&s, "ahead"), cos(4.0 * t), sin(4.0 * t), 0.0), 1e-13);
    check_below("orientation", off(reading(&s, "turn") + 1, 0.0, 0.0, sin(2.0 * t)), 1e-13);
    check_below("contact force [N]", off(reading(&s, "ground"), 0.0, 0.0, -weight), 1e-9);
    check_below("on the floor [N]", off(reading(&s, "below"), 0.0, 0.0, -weight), 1e-9);
    check_below("touch [N]", fabs(*reading(&s, "touch") - weight), 1e-9);
    check_below("half of it on the pad [N]", fabs(*reading(&s, "half") - 0.5 * weight), 1e-6);
    check_below("nothing on the other pad [N]", fabs(*reading(&s, "away")), 0.0);
    double height = scenario_position(&s, tn_model_find_body(s.model, "falls"), 2);
    check_below("range down [m]", fabs(*reading(&s, "radar") - height), 1e-12);
    check_below("range at 60 degrees [m]", fabs(*reading(&s, "slant") - 1.05 / cos(PI / 3.0)), 1e-9);
    check_below("range of nothing [m]", fabs(*reading(&s, "sky") - 7.0), 0.0);
    scenario_close(&s);
}

// A known weight on a lever, in both coordinates: the joint's frame has its first axis along the axis.
static void test_wrench(void **unused)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        scenario s = scenario_open(
            "coordinates: %s\nsolver: {tolerance: {natural: 1e-12, joint: 1e-12}}\nbodies:\n"
            "  arm: {position: [30 cm, 0, 1], mass: 2, inertia: [0.1, 0.1, 0.1], shape: {sphere: 1 cm}}\n"
            "joints:\n  pin: {type: revolute, b: arm, anchor: [0, 0, 1], axis: [0, 1, 0], axis2: [1, 0, 0],\n"
            "    turn: {motor: {position: 0}}}\n"
            "sensors:\n  force: {type: force, joint: pin}\n  torque: {type: torque, joint: pin}\n"
            "  there: {type: torque, joint: pin, body: arm}\n"
            "  up: {type: force, joint: pin, body: world, rotation: {axis: [0, 0, 1], angle: 90 deg}}\n"
            "  angle: {type: coordinate, joint: pin}\n  effort: {type: effort, joint: pin, coordinate: turn}\n",
            reduced ? "reduced" : "maximal");
        steps(&s, 5);
        const double w = 2.0 * GRAVITY; // axes: y, x, -z of the world
        check_below("force [N]", off(reading(&s, "force"), 0.0, 0.0, -w), 1e-8);
        check_below("torque [N m]", off(reading(&s, "torque"), -0.3 * w, 0.0, 0.0), 1e-8);
        check_below("torque about the weight [N m]", off(reading(&s, "there"), 0.0, 0.0, 0.0), 1e-8);
        check_below("force, world [N]", off(reading(&s, "up"), 0.0, 0.0, w), 1e-8);
        check_below("effort [N m]", fabs(*reading(&s, "effort") + 0.3 * w), 1e-8);
        check_below("angle", fabs(*reading(&s, "angle")), 1e-10);
        scenario_close(&s);
    }
}

// A swinging pendulum: the accelerometer on the bob reads the pull of the string, of first order in the step.
static void test_pendulum(void **unused)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            double h = 1e-3 / (1 << k);
            scenario s = scenario_open(
                "coordinates: %s\nstep: %.17g\nbodies:\n"
                "  bob: {position: [1, 0, 0], mass: 2, inertia: [1e-6, 1e-6, 1e-6], shape: {sphere: 1 cm}}\n"
                "joints:\n  pin: {type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                "sensors:\n  imu: {type: accelerometer, body: bob}\n  rate: {type: rate, joint: pin}\n",
                reduced ? "reduced" : "maximal", h);
            steps(&s, 300 << k);
            double rate = *reading(&s, "rate"), along = reading(&s, "imu")[0];
            double drop = -scenario_position(&s, 1, 2);
            // From rest at the side: w^2 = 2 g drop, and the string pulls with w^2 + g drop, inwards.
            error[k] = fabs(along + 3.0 * GRAVITY * drop);
            check_below("rate", fabs(fabs(rate) - sqrt(2.0 * GRAVITY * drop)), 10.0 * h);
            scenario_close(&s);
        }
        check_near("order", log2(error[0] / error[1]), 1.0, 0.1);
    }
}

// A model with an arm of a hinge and a slide: all kinds that MJCF has, against what MuJoCo 2.2.2 reads with a step of
// 0.01 ms after 0.3 s, of first order in our step.
static const char arm[] =
    "<mujoco><option timestep='%.17g'/><worldbody><geom type='plane' size='5 5 1'/><body name='arm' pos='0 0 1'>"
    "<joint name='pin' type='hinge' axis='0 1 0' damping='0.5'/>"
    "<geom type='box' size='.2 .05 .05' pos='.2 0 0' mass='2' contype='0' conaffinity='0'/>"
    "<site name='s' pos='.1 .02 .03' euler='10 20 30'/><body name='tip' pos='.4 0 0'>"
    "<joint name='slide' type='slide' axis='1 0 0' stiffness='300' damping='3'/>"
    "<geom type='sphere' size='.05' mass='1' contype='0' conaffinity='0'/><site name='t' euler='0 180 "
    "0'/></body></body>"
    "<body name='box' pos='2 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='3'/><site name='b' size='.2'/>"
    "</body></worldbody><sensor><accelerometer name='acc' site='s'/><gyro name='gyro' site='s'/>"
    "<velocimeter name='vel' site='s'/><force name='f' site='s'/><torque name='tq' site='s'/><force name='ft' "
    "site='t'/>"
    "<torque name='tt' site='t'/><touch name='touch' site='b'/><rangefinder name='range' site='t'/>"
    "<jointpos name='q' joint='pin'/><jointvel name='dq' joint='slide'/>"
    "<framepos name='p' objtype='site' objname='s'/><framequat name='o' objtype='site' objname='s'/>"
    "<framelinvel name='v' objtype='site' objname='s'/><frameangvel name='w' objtype='xbody' objname='tip'/>"
    "<frameangacc name='wa' objtype='site' objname='s'/></sensor></mujoco>";

static void test_mjcf(void **unused)
{
    static const double theirs[] = {-9.50079732,
                                    6.40208049,
                                    0.631977364,
                                    2.70752437,
                                    4.09820612,
                                    -0.812379127,
                                    0.223543499,
                                    -0.228888586,
                                    -0.409640185,
                                    -43.0364423,
                                    27.1090395,
                                    -6.6764202,
                                    0.0976456361,
                                    -0.0977297361,
                                    -1.02625057,
                                    23.9146162,
                                    0,
                                    -1.06434686,
                                    0,
                                    0.00207602294,
                                    0,
                                    29.43,
                                    1.07705944,
                                    0.972733649,
                                    0.348538903,
                                    0.0810970862,
                                    0.02,
                                    0.934248478,
                                    0.766559803,
                                    0.238391577,
                                    0.569185858,
                                    0.177716019,
                                    -0.327347116,
                                    0,
                                    -0.403745747,
                                    0,
                                    4.97854813,
                                    0,
                                    0,
                                    2.07602294,
                                    0};
    enum { N = sizeof theirs / sizeof *theirs };
    double error[2];
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(arm, 5e-4 / (1 << k));
        assert_int_equal(tn_model_reading_count(s.model), N);
        steps(&s, 600 << k);
        const double *ours = reading(&s, "acc");
        error[k] = 0.0;
        for (int i = 0; i < N; i++) {
            error[k] = fmax(error[k], fabs(ours[i] - theirs[i]) / (1.0 + fabs(theirs[i])));
        }
        scenario_close(&s);
    }
    check_below("difference with a step of 0.25 ms, relative", error[1], 0.02);
    check_near("order", log2(error[0] / error[1]), 1.0, 0.2);
}

// Frames as others see them, and several bodies together, moving: against what MuJoCo 2.2.2 reads at the start.
static const char seen[] =
    "<mujoco><option timestep='1e-9'/><default><geom contype='0' conaffinity='0'/></default><worldbody>"
    "<site name='w' pos='0.3 0.2 1' euler='10 20 30'/>"
    "<body name='a' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3' pos='0.1 0 0'/><site name='s' pos='0.1 "
    "0.2 0.3' euler='40 0 10'/>"
    "<body name='b' pos='0.3 0 0'><joint axis='0 1 0'/><joint type='slide' axis='0 0 1' pos='0 0 0.1'/><geom "
    "type='capsule' size='0.05' fromto='0 0 0 0.3 0.1 0.2'/>"
    "<body pos='0.3 0 0'><geom size='0.07' mass='0.5'/><site name='t' pos='0.1 0.2 0.3' euler='70 30 "
    "10'/></body></body></body>"
    "<body name='d' pos='2 0 1'><joint axis='0 1 0'/><geom name='g' type='box' size='0.1 0.2 0.3' pos='0.1 0 0' "
    "euler='0 20 30'/></body>"
    "</worldbody><sensor>"
    "<framepos objtype='site' objname='t' reftype='site' refname='s'/><framequat objtype='site' objname='t' "
    "reftype='xbody' refname='d'/>"
    "<framexaxis objtype='site' objname='t' reftype='geom' refname='g'/><framelinvel objtype='body' objname='b' "
    "reftype='site' refname='s'/><frameangvel objtype='site' objname='t' reftype='xbody' refname='d'/>"
    "<framelinvel objtype='geom' objname='g' reftype='site' refname='w'/>"
    "<subtreecom body='a'/><subtreecom body='world'/><subtreelinvel body='b'/><subtreelinvel body='a'/><subtreeangmom "
    "body='b'/><subtreeangmom body='a'/>"
    "</sensor><keyframe><key qpos='0.1 0.2 0.9 0.8 0 0.6 0 0.3 -0.4 0.5' qvel='1 0 0.5 0.3 -2 1 1 -0.5 "
    "2'/></keyframe></mujoco>";

static void test_seen(void **unused)
{
    static const double theirs[] = {
        0.486844318577,  -0.421164889387,  -0.393548998673,  0.579323077494,   0.600349323033,
        0.540372869886,  -0.109373779806,  0.804462772983,   0.138411733418,   -0.577652005049,
        -0.530832869858, -0.253842253427,  -0.40777515208,   0.920031598922,   -3,
        0.493499601808,  -0.0420722857927, -0.0109026589604, -0.195220528623,  0.108226374733,
        0.203331540662,  0.776866053056,   1.05876012777,    0.105695582249,   0.860989645067,
        1.2402554007,    0.473571713425,   0.406400058298,   1.19567962756,    0.128486029611,
        0.544592529316,  0.0676655518526,  -0.0802608174366, 0.00830162564211, 1.47301323647,
        -3.48510046557,  -0.729024705621};
    enum { N = sizeof theirs / sizeof *theirs };
    scenario s = scenario_open("%s", seen);
    assert_int_equal(tn_model_reading_count(s.model), N);
    const double *ours = reading(&s, "sensor1");
    for (int i = 0; i < N; i++) {
        check_near("reading of the start", ours[i], theirs[i], 2e-6); // a frame between joints has 1e-6 of the mass
    }
    scenario_close(&s);
}

static const char noisy[] = "seed: %d\nsolver: {threads: %d}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                            "  box: {position: [0, 0, 5 cm], shape: {box: [10 cm, 10 cm, 10 cm]}}\n"
                            "sensors:\n  imu: {type: accelerometer, body: box, noise: 0.2 m/s^2}\n"
                            "  gyro: {type: gyroscope, body: box, noise: 1 deg/s}\n"
                            "  range: {type: range, body: box, reach: 2 m, noise: 3 mm}\n";

// Mean and deviation of many readings; other numbers with another seed, of another sensor and step.
static void test_noise(void **unused)
{
    enum { N = 2000 };
    scenario s = scenario_open(noisy, 1, 1), other = scenario_open(noisy, 2, 1);
    double sum[7] = {0.0}, square[7] = {0.0}, cross = 0.0, before = 0.0;
    const double mean[7] = {0.0, 0.0, GRAVITY, 0.0, 0.0, 0.0, 2.0};
    const double deviation[7] = {0.2, 0.2, 0.2, PI / 180.0, PI / 180.0, PI / 180.0, 3e-3};
    for (int i = 0; i < N; i++) {
        scenario_step(&s);
        const double *is = reading(&s, "imu");
        for (int k = 0; k < 7; k++) {
            double z = (is[k] - mean[k]) / deviation[k];
            sum[k] += z / N;
            square[k] += z * z / N;
        }
        double z = is[0] / 0.2;
        cross += z * before / N;
        before = z;
    }
    for (int k = 0; k < 7; k++) { // five deviations of the estimates
        check_below("mean", fabs(sum[k]), 5.0 / sqrt(N));
        check_below("variance", fabs(square[k] - 1.0), 5.0 * sqrt(2.0 / N));
    }
    check_below("one step against the next", fabs(cross), 5.0 / sqrt(N));
    steps(&other, N);
    assert_true(reading(&other, "imu")[0] != reading(&s, "imu")[0]);
    assert_int_equal(tn_sim_set(s.sim, 1, (const char *[]){"seed=2"}, NULL), TN_OK);
    scenario_step(&s), scenario_step(&other);
    assert_true(reading(&s, "range")[0] == reading(&other, "range")[0]);
    scenario_close(&s);
    scenario_close(&other);
}

// To the bit for two threads, and in a run that goes on from a checkpoint.
static void test_same_bits(void **unused)
{
    char path[] = "/tmp/tenon_sensors_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tn_error error = {0};
    scenario a = scenario_open(noisy, 1, 1), b = scenario_open(noisy, 1, 2), c = scenario_open(noisy, 1, 1);
    steps(&a, 5);
    assert_int_equal(tn_state_save(a.state, path, &error), TN_OK);
    assert_int_equal(tn_state_load(c.state, path, &error), TN_OK);
    unlink(path);
    steps(&a, 5);
    steps(&b, 10);
    steps(&c, 5);
    double first[7];
    memcpy(first, reading(&a, "imu"), sizeof first);
    assert_memory_equal(first, reading(&b, "imu"), sizeof first);
    assert_memory_equal(first, reading(&c, "imu"), sizeof first);
    scenario_close(&a);
    scenario_close(&b);
    scenario_close(&c);
}

static void test_no_allocation(void **unused)
{
    tn_error error = {0};
    double all[64];
    scenario s = scenario_open(bodies);
    tn_sensors *sensors = tn_sensors_create(s.model, &error);
    steps(&s, 5);
    assert_int_equal(tn_sensors_read(sensors, s.sim, s.state, all, &error), TN_OK);
    long before = tn_memory_count();
    for (int i = 0; i < 5; i++) {
        scenario_step(&s);
        assert_int_equal(tn_sensors_read(sensors, s.sim, s.state, all, &error), TN_OK);
    }
    check_below("requests in 5 warm steps and readings", (double)(tn_memory_count() - before), 0.0);
    tn_sensors_destroy(sensors);
    scenario_close(&s);
}

// Recorded by name: what the API reads is what the file holds, NaN where there was no step yet.
static void test_recording(void **unused)
{
    char path[] = "/tmp/tenon_sensors_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tn_error error = {0};
    scenario s = scenario_open(noisy, 1, 1);
    tn_recorder *recorder = tn_recorder_create(path, s.model, &error);
    assert_non_null(recorder);
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &error), TN_OK);
    for (int i = 0; i < 3; i++) {
        scenario_step(&s);
        assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, &s.report, &error), TN_OK);
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *recording = tn_recording_open(path, &error);
    assert_non_null(recording);
    double row[2][7];
    assert_int_equal(tn_recording_read(recording, "sensors/reading", 0, 1, row[0], &error), TN_OK);
    assert_int_equal(tn_recording_read(recording, "sensors/reading", 3, 1, row[1], &error), TN_OK);
    assert_true(isnan(row[0][0]) && isfinite(row[0][3]));
    assert_memory_equal(row[1], reading(&s, "imu"), sizeof row[1]);
    tn_recording_close(recording);
    unlink(path);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),    cmocka_unit_test(test_wrench),        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_mjcf),      cmocka_unit_test(test_seen),          cmocka_unit_test(test_noise),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_no_allocation), cmocka_unit_test(test_recording)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
