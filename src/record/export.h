// What a recording turns into: VTK files for ParaView, a table for spreadsheets, friction problems.
#pragma once

#include "record/recording.h"

// folder (made if it is not there) gets NAME.pvd, NAME_contacts.pvd and one .vtu each a frame, every `every`-th frame:
// bodies' surfaces (cell data body, point data velocity) and contact points (force, normal, gap, bodies). With a
// foundation also NAME_pressure.pvd: its elements (pressure, bodies); with soft bodies NAME_soft.pvd: their tetrahedra
// (displacement, velocity; von_mises, energy_density, body).
tn_status tn_export_vtk(const tn_recording *recording, const char *folder, const char *name, long every,
                        long *n_written, tn_error *error);

// A row a frame, every `every`-th one: time, figures, energies, each body's pose and velocity, each soft body's strain
// energy. RFC 4180.
tn_status tn_export_csv(const tn_recording *recording, const char *path, long every, tn_error *error);

// folder/step_000010.hdf5 and so on: the problem of every `every`-th step that has contacts. TN_BAD_INPUT when the
// repeated run leaves the recorded states.
tn_status tn_export_fclib(const tn_recording *recording, const char *folder, long every, long *n_written,
                          tn_error *error);
