// Recordings: HDF5 trajectories (docs/recording.md), and what is made from them.
#pragma once

#include "tenon/lcs_source.h"
#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_recorder tn_recorder;

// Start a recording at path (overwritten); the scene's text, version and seed go in first. NULL on failure.
tn_recorder *tn_recorder_create(const char *path, const tn_model *model, tn_error *error);
// Append the state after a step (report NULL: the initial state). Flushes after a second of wall time or 100
// frames (but at most ten times a second), so that a crash loses little and leaves a valid file.
tn_status tn_recorder_append(tn_recorder *recorder, const tn_sim *sim, const tn_state *state,
                             const tn_step_report *report, tn_error *error);
// What the frames appended from now on say of a controller (quantities plan/...), in recordings of scenes with `mpc`.
// rows (plan->n_c): what the plan's pairs are (tn_mpc_rows).
tn_status tn_recorder_plan(tn_recorder *recorder, const tn_plan *plan, const tn_lcs_row *rows, tn_error *error);
// Where it has the bodies, likewise (plan/poses): poses (TN_PLAN_POSES, bodies of the model, 7: position [m] and
// quaternion w x y z) at a quarter, half, three quarters and the end of its horizon (tn_mpc_poses); NULL: nowhere.
enum { TN_PLAN_POSES = 4 };
tn_status tn_recorder_plan_poses(tn_recorder *recorder, const double *poses, tn_error *error);
// Write the frames that wait; a file that is locked just now is left for the next flush.
tn_status tn_recorder_flush(tn_recorder *recorder, tn_error *error);
tn_status tn_recorder_close(tn_recorder *recorder, tn_error *error); // frees it in any case

// A finished (or still growing, or crashed) recording, read back. One thread at a time: HDF5 is not made for more.
typedef struct tn_recording tn_recording;

// NULL on failure: no such file, not HDF5, not a recording, a newer format, or broken.
tn_recording *tn_recording_open(const char *path, tn_error *error);
void tn_recording_close(tn_recording *recording); // NULL is fine
// Hears of whatever reads the recording row by row (exports, reports): the row of a quantity that is next, of how many.
// Several passes begin anew. NULL: nobody hears.
void tn_recording_set_watch(tn_recording *recording, void (*watch)(void *user, long row, long rows), void *user);
long tn_recording_frame_count(const tn_recording *recording); // complete ones
// The last frame at or before a time [s]; -1: there is none.
long tn_recording_frame_at(const tn_recording *recording, double time);

// A quantity of a recording (docs/recording.md): rows of `width` numbers each, as doubles.
typedef struct tn_quantity {
    const char *name; // "energy/kinetic", "poses", "contacts/force"; the library's string, likewise
    const char *unit, *about;
    long rows; // one a frame; of contacts one a contact (contacts/offset says where a frame's begin: one row more)
    int width; // numbers a row
} tn_quantity;
int tn_recording_quantity_count(const tn_recording *recording);
// Number i of them. TN_BAD_INPUT: there is none.
tn_status tn_recording_quantity(const tn_recording *recording, int i, tn_quantity *out, tn_error *error);
// The one of that name. TN_BAD_INPUT: there is none.
tn_status tn_recording_find(const tn_recording *recording, const char *name, tn_quantity *out, tn_error *error);
// Rows [first, first + n) of a quantity into out (n, width).
tn_status tn_recording_read(const tn_recording *recording, const char *name, long first, long n, double *out,
                            tn_error *error);

// A number over the frames, by its name: a quantity with one number a frame ("energy/kinetic"); "contacts", how many
// there are; a number of a body, a joint or a sensor (`tenon plot --help`): "body:box:z", "joint:pin:turn.rate",
// "sensor:imu:x".
typedef struct tn_curve {
    const char *quantity; // that has it; the library's string
    const char *label;    // "position [m]"; the library's or the recording's string
    int width, place;     // numbers a row of the quantity, and which of them it is
} tn_curve;
// TN_BAD_INPUT: there is none, and error says what there is.
tn_status tn_recording_find_curve(const tn_recording *recording, const char *name, tn_curve *out, tn_error *error);
// Its values into out (tn_recording_frame_count).
tn_status tn_recording_read_curve(const tn_recording *recording, const char *name, double *out, tn_error *error);

const char *tn_recording_title(const tn_recording *recording); // the scene's; "": none
// Bodies, numbered as in the model: the world, rigid ones, soft ones.
int tn_recording_body_count(const tn_recording *recording);
const char *tn_recording_body_name(const tn_recording *recording, int body); // NULL: there is no such number
int tn_recording_find_body(const tn_recording *recording, const char *name); // -1: none

// A further attribute of a recording (docs/recording.md), beside those that the recorder writes.
typedef struct tn_note {
    const char *attribute;
    const char *text; // NULL: the number
    double number;
} tn_note;
// n of them into the recording at path; earlier ones of the same name are replaced. Nobody may be writing it just now
// (a recorder does at its flushes only). TN_BAD_INPUT: no name, or one that the format needs; TN_IO.
tn_status tn_recording_note(const char *path, int n, const tn_note *notes, tn_error *error);
// For a program's first line, before anything of HDF5: its clean-up at exit is left undone. All files are closed by
// then, and that of HDF5 1.10 crashes after a failed write, as on a full disk.
void tn_recording_skip_exit_cleanup(void);

typedef enum tn_export_format {
    TN_EXPORT_VTK,   // path: a folder, made if it is not there; NAME.pvd and its frames for ParaView
    TN_EXPORT_CSV,   // a table, a row a frame
    TN_EXPORT_HTML,  // one page that plays in any browser
    TN_EXPORT_GLTF,  // surfaces and their motion, binary glTF 2.0
    TN_EXPORT_FCLIB, // path: a folder; each step's friction problem. Repeats the run: TN_BAD_INPUT where that leaves
                     // the recorded states (another version or machine)
} tn_export_format;
// Files for other programs, of every `every`-th frame (FCLIB: step), at least 1. Refuses to replace what is no such
// file (TN_IO). *written, may be NULL: frames of VTK, rows of CSV, problems of FCLIB, bytes of HTML and GLTF.
tn_status tn_recording_export(const tn_recording *recording, tn_export_format format, const char *path, long every,
                              long *written, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
