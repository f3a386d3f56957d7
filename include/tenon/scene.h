// Scenes: what to simulate and how, read from YAML or JSON. docs/scene.md is the reference.
#pragma once

#include "tenon/error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_scene tn_scene;

// Read and check a scene file: YAML or JSON (docs/scene.md), or a robot's file, URDF or MJCF (docs/robots.md). n_set
// overrides "path=value" (e.g. "solver.max_iterations=50", "bodies.box.position=[0,0,1]") are applied before checking.
// NULL on failure: error says file, line, column and what to do.
tn_scene *tn_scene_load(const char *path, int n_set, const char *const *set, tn_error *error);
// The same from text in memory; name stands for the file in errors (NULL: "scene"), includes are relative to the
// working folder.
tn_scene *tn_scene_parse(const char *text, const char *name, int n_set, const char *const *set, tn_error *error);
void tn_scene_destroy(tn_scene *scene); // NULL is fine
// The scene as YAML: of one file its own text, else all parts and overrides joined. Read again it makes an equal scene.
// The scene's memory.
const char *tn_scene_text(const tn_scene *scene);
// That text into a file, as YAML; names of other files in it lead from that file's folder.
tn_status tn_scene_write(const tn_scene *scene, const char *path, tn_error *error);
const char *tn_scene_title(const tn_scene *scene); // "": none
const char *tn_scene_path(const tn_scene *scene);  // of its file, or the name that its text was given
// How many a section of the scene holds, copies of arrays and what robots' files bring included: "bodies" (rigid ones),
// "soft", "joints", "materials", "pairs", "springs", "rods", "sensors". 0: there is no such section.
int tn_scene_count(const tn_scene *scene, const char *section);
// What the reader of a robot's file remarked: what counts otherwise than the file says, or not at all. The i-th (from
// 0) as "FILE:LINE: text" into text, at most size bytes; returns text, NULL where there are no more.
const char *tn_scene_remark(const tn_scene *scene, int i, char *text, size_t size);

// A scene made in code: a document of the same keys as a scene file (docs/scene.md), checked by the same reader. One
// thread at a time. Values are YAML or JSON texts, such as "{position: [0, 0, 1], shape: {sphere: 0.1}}" or "[0, 0,
// 9]".
typedef struct tn_builder tn_builder;

// Nothing said yet: all keys have their defaults. NULL: no memory.
tn_builder *tn_builder_create(tn_error *error);
void tn_builder_destroy(tn_builder *builder); // NULL is fine
// A key of the scene ("title", "gravity", "solver", ...), in place of what it was; or what stands at a dotted path
// ("bodies.box.mass", "pairs.0.friction") as --set says it: null takes it away, names must be there, places of errors
// count in "path=value". What `robots` lists is not there yet: that has a `set` of its own.
tn_status tn_builder_set(tn_builder *builder, const char *key, const char *value, tn_error *error);
// Adds to a section: what has a name ("bodies", "box"), or with name NULL an item of a list ("pairs"). TN_BAD_INPUT: no
// such section, the name is taken, or value is no YAML; file, line and column of this and later errors are
// "bodies.box" and the place in value.
tn_status tn_builder_add(tn_builder *builder, const char *section, const char *name, const char *value,
                         tn_error *error);
// Adds a whole document, as an include does: names must be new, lists are joined, of other keys the builder's count.
tn_status tn_builder_merge(tn_builder *builder, const char *text, const char *name, tn_error *error);
// The scene so far, which goes to the caller; the builder stays, and goes on. NULL on failure, with the place of the
// error. Files of meshes are relative to the working folder.
tn_scene *tn_builder_scene(const tn_builder *builder, tn_error *error);

// Words of scenes, by number from 0 and in the order of their enumerations where these are public; NULL: no more.
const char *tn_law_name(int i);        // of contact, tn_law: "coulomb" ...
const char *tn_scheme_name(int i);     // of time stepping: "euler" ...
const char *tn_shape_kind_name(int i); // "sphere" ...

// Receives a text piece by piece; not NUL-terminated.
typedef void (*tn_text_writer)(void *user, const char *text, size_t length);
// The reference of scene files as Markdown (docs/scene.md), and a JSON Schema for editors, both from the table that the
// reader uses.
void tn_scene_reference_markdown(tn_text_writer write, void *user);
void tn_scene_schema_json(tn_text_writer write, void *user);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
