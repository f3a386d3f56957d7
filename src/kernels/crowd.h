// Newton's method on the velocities of few bodies that many contacts push: its sums over the contacts, four at a time.
//
// Unknowns are velocities v and forces y. With u = J v + w, the law's map P (law/cone.h: tn_cone_map, or f_n >= 0
// alone) and a number rho a contact, both A v = b + J^T y and y = P(held - rho (u + Omega held)) are linearised, and
// the change of y is eliminated contact by contact:
//
//     M = I - P' + P' (delta + rho Omega),  C = rho M^-1 P',  aim = held - M^-1 (held - y)
//     (A + J^T C J) dv = b - A v + J^T aim,  held <- aim - C J dv
//
// delta, diagonal, keeps that finite where a row is rigid. Packs of up to four contacts have the same bodies; without
// friction one row of each takes part. Without fused multiply-adds: the same bits for any processor.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

enum { TN_CROWD_BLOCKS = 4 }; // blocks of a contact at most: two rigid bodies

typedef struct tn_crowd_pack {
    int first, n, n_blocks; // contacts first..first + n - 1
    bool joins;             // on the same bodies as the pack before
    const int *block;
    double *J;   // (3, 3 n_blocks, 4)
    double *own; // of crowd.c
} tn_crowd_pack;

typedef struct tn_crowd {
    const tn_rows *rows;
    bool associated, friction;
    int n_packs;
    tn_crowd_pack *pack;
    double factor;    // of rho; before a look
    bool damped;      // soft rows count as a little softer: before a step
    const char *kind; // instruction set (kernels/processor.h); NULL: the best
} tn_crowd;

// Contacts that it can take: round friction, few blocks each.
bool tn_crowd_takes(const tn_rows *rows);
// Forces held as in lambda (n, 3). kind: NULL, or in tests an instruction set that the processor has. False: no memory.
bool tn_crowd_create(tn_crowd *crowd, const tn_problem *problem, const double *lambda, const char *kind,
                     tn_arena *arena);

typedef struct tn_crowd_figures {
    double natural, force; // squares of the natural map's residual with rho by itself, and of forces [N^2]
} tn_crowd_figures;

// y at v (3 blocks); push (3 blocks) += J^T y.
tn_crowd_figures tn_crowd_look(tn_crowd *crowd, const double *v, double *push);
// K (3 blocks, stride) += J^T C J, force (3 blocks) += J^T aim, after a look.
void tn_crowd_linearise(tn_crowd *crowd, int stride, double *K, double *force);
// The forces held go along with dv (3 blocks).
void tn_crowd_follow(tn_crowd *crowd, const double *dv);

void tn_crowd_keep(tn_crowd *crowd);                         // the forces y of the last look
void tn_crowd_hold(tn_crowd *crowd, const double *lambda);   // other forces are held (n, 3)
void tn_crowd_go_back(tn_crowd *crowd);                      // the forces kept are held
void tn_crowd_forces(const tn_crowd *crowd, double *lambda); // the forces kept (n, 3)
