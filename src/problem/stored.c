// Problems with memory of their own: read from FCLIB's files, or copied array by array. The certificate as a call.
#include "tenon/stored.h"
#include "base/memory.h"
#include "law/law.h"
#include "problem/certificate.h"
#include "problem/fclib.h"
#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

struct tn_stored_problem {
    tn_arena *arena;
    tn_fclib_problem all; // the problem, its rows, and what its file said
};

static tn_stored_problem *create(tn_error *error)
{
    tn_stored_problem *stored = tn_calloc(1, sizeof *stored);
    if (stored && !(stored->arena = tn_arena_create(0))) {
        tn_free(stored);
        stored = NULL;
    }
    if (!stored) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a problem");
    }
    return stored;
}

static tn_stored_problem *keep(tn_stored_problem *stored, tn_status status)
{
    if (status != TN_OK) {
        tn_stored_problem_destroy(stored);
    }
    return status == TN_OK ? stored : NULL;
}

tn_stored_problem *tn_stored_problem_read(const char *path, tn_error *error)
{
    if (!path) {
        tn_error_set(error, TN_BAD_INPUT, "a problem to be read needs a path");
        return NULL;
    }
    tn_stored_problem *stored = create(error);
    return stored ? keep(stored, tn_fclib_read(path, stored->arena, &stored->all, error)) : NULL;
}

// NULL where there is none, and *ok false where there is no memory.
static void *copy_of(tn_arena *arena, const void *from, size_t count, size_t size, bool *ok)
{
    void *to = from ? tn_arena_push(arena, count, size) : NULL;
    *ok = *ok && (to || !from);
    if (to && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}
#define COPY(from, count) copy_of(arena, (from), (size_t)(count), sizeof *(from), ok)

static const tn_blocks *copy_blocks(tn_arena *arena, const tn_blocks *from, bool *ok)
{
    tn_blocks *to = COPY(from, 1);
    if (to) {
        to->start = COPY(from->start, from->n_rows + 1);
        to->column = COPY(from->column, from->start[from->n_rows]);
        to->value = COPY(from->value, 9 * (size_t)from->start[from->n_rows]);
    }
    return to;
}

static void copy_rows(tn_arena *arena, const tn_rows *from, tn_rows *to, bool *ok)
{
    int n = from->n_triples, s = from->n_singles;
    size_t rows = 3 * (size_t)n + (size_t)s;
    *to = *from;
    to->start = COPY(from->start, n + s + 1);
    if (from->start) {
        size_t entries = (size_t)from->start[n + s], triples = (size_t)from->start[n];
        to->block = COPY(from->block, entries);
        to->jacobian = COPY(from->jacobian, 9 * triples + 3 * (entries - triples));
    }
    to->offset = COPY(from->offset, rows);
    to->frame = COPY(from->frame, 9 * (size_t)n);
    to->gap = COPY(from->gap, n);
    to->mu = COPY(from->mu, 2 * (size_t)n);
    to->softness = COPY(from->softness, 9 * (size_t)n);
    to->preload = COPY(from->preload, n);
    to->friction_set = COPY(from->friction_set, from->n_frictions);
    to->pressed_by = COPY(from->pressed_by, from->n_frictions);
    to->compliance = COPY(from->compliance, s);
    to->lower = COPY(from->lower, s);
    to->upper = COPY(from->upper, s);
    to->joint = COPY(from->joint, s);
}

static tn_status copy(const tn_problem *from, tn_stored_problem *stored, tn_error *error)
{
    tn_arena *arena = stored->arena;
    tn_problem *to = &stored->all.problem;
    bool enough = true, *ok = &enough;
    const tn_rows *rows = from->rows;
    size_t n_v = from->A ? 3 * (size_t)from->A->n_rows : 0;
    *to = *from;
    copy_rows(arena, rows, &stored->all.contacts, ok);
    to->rows = &stored->all.contacts;
    to->A = copy_blocks(arena, from->A, ok);
    to->W = copy_blocks(arena, from->W, ok);
    to->b = COPY(from->b, n_v);
    to->start_v = COPY(from->start_v, n_v);
    to->start_force = COPY(from->start_force, 3 * (size_t)rows->n_triples + (size_t)rows->n_singles);
    to->hints = NULL;
    stored->all.space_dimension = 3;
    stored->all.n_velocities = (int)n_v;
    return enough ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for a problem");
}

tn_stored_problem *tn_stored_problem_copy(const tn_problem *problem, tn_error *error)
{
    if (!problem) {
        tn_error_set(error, TN_BAD_INPUT, "no problem to copy: no step has been taken, or its problem is gone");
        return NULL;
    }
    if (tn_problem_check(problem, error) != TN_OK) {
        return NULL;
    }
    tn_stored_problem *stored = create(error);
    return stored ? keep(stored, copy(problem, stored, error)) : NULL;
}

void tn_stored_problem_destroy(tn_stored_problem *stored)
{
    if (stored) {
        tn_arena_destroy(stored->arena);
        tn_free(stored);
    }
}

const tn_problem *tn_stored_problem_get(const tn_stored_problem *stored)
{
    return stored ? &stored->all.problem : NULL;
}

tn_status tn_stored_problem_set_law(tn_stored_problem *stored, tn_law law, int facets, tn_error *error)
{
    if (!stored || law < TN_LAW_COULOMB || law > TN_LAW_FRICTIONLESS) {
        return tn_error_set(error, TN_BAD_INPUT, stored ? "problem: law %d is unknown" : "there is no problem",
                            (int)law);
    }
    if (facets != 0 && !tn_facets_fit(facets)) {
        return tn_error_set(error, TN_BAD_INPUT, "facets are %d, expected 0 (the round cone), " TN_FACETS_EXPECTED,
                            facets);
    }
    stored->all.problem.law = law;
    stored->all.problem.facets = facets;
    return TN_OK;
}

void tn_stored_problem_info(const tn_stored_problem *stored, tn_stored_info *out)
{
    if (stored && out) {
        *out = (tn_stored_info){stored->all.title, stored->all.space_dimension, stored->all.n_velocities};
    }
}

tn_status tn_stored_problem_write_check(const char *path, tn_error *error)
{
    return path ? tn_fclib_write_check(path, error) : tn_error_set(error, TN_BAD_INPUT, "a file needs a path");
}

tn_status tn_stored_problem_write(const tn_stored_problem *stored, const char *path, const char *title,
                                  const tn_solution *solution, tn_error *error)
{
    if (!stored || !path) {
        return tn_error_set(error, TN_BAD_INPUT, "writing needs a problem and a path");
    }
    const tn_problem *problem = &stored->all.problem;
    if (solution && (!solution->lambda || (problem->A && !solution->v))) {
        return tn_error_set(error, TN_BAD_INPUT, "solution: v or lambda is missing");
    }
    tn_fclib_problem all = stored->all;
    if (title) {
        snprintf(all.title, sizeof all.title, "%s", title);
    }
    return tn_fclib_write_solution(path, &all, solution, error);
}

tn_status tn_problem_certify(const tn_problem *problem, const tn_solution *solution, tn_certificate *certificate,
                             tn_error *error)
{
    if (!problem || !solution || !certificate) {
        return tn_error_set(error, TN_BAD_INPUT, "a certificate needs a problem, a solution and room for it");
    }
    if (tn_problem_check(problem, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    if (!solution->lambda || (problem->A && !solution->v)) {
        return tn_error_set(error, TN_BAD_INPUT, "solution: v or lambda is missing");
    }
    tn_arena *arena = tn_arena_create(0);
    tn_status status = arena ? tn_certificate_compute(problem, solution, true, arena, certificate) : TN_NO_MEMORY;
    tn_arena_destroy(arena);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for the certificate");
}
