// Scenes: what to simulate and how, read from YAML or JSON. docs/scene.md is the reference.
#pragma once

#include "tenon/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_scene tn_scene;

// Read and check a scene file. n_set overrides "path=value" (e.g. "solver.max_iterations=50",
// "bodies.box.position=[0,0,1]") are applied before checking. NULL on failure: error says file, line, column and what
// to do.
tn_scene *tn_scene_load(const char *path, int n_set, const char *const *set, tn_error *error);
// The same from text in memory; name stands for the file in errors (NULL: "scene"), includes are relative to the
// working folder.
tn_scene *tn_scene_parse(const char *text, const char *name, int n_set, const char *const *set, tn_error *error);
void tn_scene_destroy(tn_scene *scene); // NULL is fine

// Receives a text piece by piece; not NUL-terminated.
typedef void (*tn_text_writer)(void *user, const char *text, size_t length);
// The reference of scene files as Markdown (docs/scene.md), and a JSON Schema for editors, both from the table that the
// reader uses.
void tn_scene_reference_markdown(tn_text_writer write, void *user);
void tn_scene_schema_json(tn_text_writer write, void *user);

#ifdef __cplusplus
}
#endif
