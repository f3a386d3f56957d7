#include "peer_siconos.h"

#include "peers.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>
#include <lcp_cst.h>
#include <stdlib.h>
#include <string.h>

// Ours to free: the arrays behind a block-sparse matrix, blocks by columns as Siconos has them.
typedef struct blocks {
    SparseBlockStructuredMatrix matrix;
    double *value;
} blocks;

static void free_blocks(blocks *b)
{
    free(b->value);
    free(b->matrix.block);
    free(b->matrix.blocksize0);
    free(b->matrix.blocksize1);
    free(b->matrix.index1_data);
    free(b->matrix.index2_data);
    free(b->matrix.diagonal_blocks);
}

static bool make_blocks(const tn_blocks *W, blocks *out)
{
    size_t n = (size_t)W->n_rows, n_blocks = (size_t)W->start[W->n_rows];
    SparseBlockStructuredMatrix *m = &out->matrix;
    SBM_null(m);
    out->value = malloc(9 * n_blocks * sizeof(double) + 1);
    m->block = malloc(n_blocks * sizeof *m->block + 1);
    m->blocksize0 = malloc(n * sizeof *m->blocksize0 + 1);
    m->blocksize1 = malloc(n * sizeof *m->blocksize1 + 1);
    m->index1_data = malloc((n + 1) * sizeof *m->index1_data);
    m->index2_data = malloc(n_blocks * sizeof *m->index2_data + 1);
    m->diagonal_blocks = calloc(n + 1, sizeof *m->diagonal_blocks);
    if (!out->value || !m->block || !m->blocksize0 || !m->blocksize1 || !m->index1_data || !m->index2_data ||
        !m->diagonal_blocks) {
        return false;
    }
    m->nbblocks = (unsigned)n_blocks;
    m->blocknumber0 = m->blocknumber1 = (unsigned)n;
    m->filled1 = n + 1;
    m->filled2 = n_blocks;
    for (size_t i = 0; i < n; i++) {
        m->blocksize0[i] = m->blocksize1[i] = 3 * (unsigned)(i + 1);
        m->index1_data[i] = (size_t)W->start[i];
        for (size_t k = (size_t)W->start[i]; k < (size_t)W->start[i + 1]; k++) {
            m->index2_data[k] = (size_t)W->column[k];
            m->block[k] = out->value + 9 * k;
            for (size_t e = 0; e < 9; e++) {
                m->block[k][e / 3 + 3 * (e % 3)] = W->value[9 * k + e];
            }
            if (m->index2_data[k] == i) {
                m->diagonal_blocks[i] = (unsigned)k;
            }
        }
    }
    m->index1_data[n] = n_blocks;
    return true;
}

siconos_run siconos_nsgs(const tn_blocks *W, const double *q, const double *mu, const siconos_ask *ask, double *r)
{
    siconos_run run = {.status = -1};
    size_t n = 3 * (size_t)W->n_rows;
    blocks b = {.value = NULL};
    double *u = calloc(n + 1, sizeof *u), *own_q = malloc(n * sizeof *own_q + 1);
    double *own_mu = malloc((size_t)W->n_rows * sizeof *own_mu + 1);
    if (u && own_q && own_mu && make_blocks(W, &b)) {
        memcpy(own_q, q, n * sizeof *q);
        memcpy(own_mu, mu, (size_t)W->n_rows * sizeof *mu);
        NumericsMatrix *M = NM_new();
        NM_fill(M, NM_SPARSE_BLOCK, (int)n, (int)n, &b.matrix);
        FrictionContactProblem problem = {
            .dimension = 3, .numberOfContacts = W->n_rows, .M = M, .q = own_q, .mu = own_mu};
        SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
        options->dparam[SICONOS_DPARAM_TOL] = ask->tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] = ask->max_iterations;
        double start = peer_seconds();
        for (int k = 0; k < ask->calls; k++) {
            memset(r, 0, n * sizeof *r);
            memset(u, 0, n * sizeof *u);
            run.status = fc3d_driver(&problem, r, u, options);
        }
        run.seconds = (peer_seconds() - start) / ask->calls;
        run.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
        solver_options_delete(options);
        NM_clear_not_SBM(M);
        free(M);
    }
    free_blocks(&b);
    free(u);
    free(own_q);
    free(own_mu);
    return run;
}

siconos_run siconos_lemke(int n, const double *M, const double *q, double tolerance, double *z)
{
    siconos_run run = {.status = -1};
    size_t size = (size_t)n;
    double *columns = malloc(size * size * sizeof *columns + 1), *own_q = malloc(size * sizeof *own_q + 1);
    double *w = calloc(size + 1, sizeof *w);
    if (columns && own_q && w) {
        for (size_t k = 0; k < size * size; k++) {
            columns[k / size + size * (k % size)] = M[k];
        }
        memcpy(own_q, q, size * sizeof *q);
        NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, n, n, columns);
        LinearComplementarityProblem problem = {.size = n, .M = matrix, .q = own_q};
        SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        double start = peer_seconds();
        lcp_lexicolemke(&problem, z, w, &run.status, options);
        run.seconds = peer_seconds() - start;
        run.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
        solver_options_delete(options);
        NM_clear(matrix); // and columns
        free(matrix);
        columns = NULL;
    }
    free(columns);
    free(own_q);
    free(w);
    return run;
}
