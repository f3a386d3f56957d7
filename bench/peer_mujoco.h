// What both of MuJoCo's peers do.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdio>

// Says the first of its warnings; false: there are none.
inline bool peer_mujoco_warned(const mjData *d)
{
    for (int i = 0; i < mjNWARNING; i++) {
        if (d->warning[i].number > 0) {
            fprintf(stderr, "tenon-bench: MuJoCo: %s\n",
                    mju_warningText(i, static_cast<size_t>(d->warning[i].lastinfo)));
            return true;
        }
    }
    return false;
}
