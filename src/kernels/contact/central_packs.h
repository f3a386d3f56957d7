// Contacts between spheres in packs of sixteen that share no body, in single precision: the compact kin of
// packs.h. A contact is central where the normal goes through the centres of both bodies and their angular
// inertia is the same about every axis. Then the normal force turns nothing, W is diagonal with W_11 = W_22 = S, and
// with spins in axes that are the same for all bodies two vectors say what J is:
//
//     d = sum of push v,  s = sum of turn omega  over both sides,  t2 = n x t1
//     u_n = n . d,  u_1 = t1 . d - t2 . s,  u_2 = t2 . d + t1 . s
//
// v and omega are scaled by the roots of mass and inertia; 72 bytes a contact, where a full pack takes 208.
// x, forces and law are those of tn_contact_packs_single. The same bits for every instruction set.
#pragma once

enum { TN_CENTRAL = 16 }; // contacts in a pack

typedef struct tn_central_pack {
    float n[3][TN_CENTRAL];      //
    float t[3][TN_CENTRAL];      // first tangent
    float push[2][TN_CENTRAL];   // first and second line: 1 / sqrt(mass), minus on body A [kg^-1/2]; 0: nothing moves
    float turn[2][TN_CENTRAL];   // radius / sqrt(inertia) [kg^-1/2]
    float offset[3][TN_CENTRAL]; // u at the anchor [m/s]
    float inverse_w[TN_CENTRAL]; // 1 / W_nn [kg/s]; 0 in lanes without contact
    float inverse_s[TN_CENTRAL]; // 1 / S, the natural map's rho as well
    float mu[TN_CENTRAL];        //
    int place[2][TN_CENTRAL];    // where the lines begin in x, 8 line
} tn_central_pack;

// Beside a pack whose contacts give way; W_nn and S have R then, and rho is not 1 / S.
typedef struct tn_central_softness {
    float n[TN_CENTRAL], t[TN_CENTRAL]; // R along the normal and across [m/(s N)]
    float rho[TN_CENTRAL];              // of the natural map [kg/s]
} tn_central_softness;
