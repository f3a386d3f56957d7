// The words of MJCF: which attributes an element may have, so that a slip of the pen is found, and which have no effect
// here, so that it is said.
#include "scene/robot/mjcf.h"

#include <string.h>

#define ORIENTATION "quat axisangle xyaxes zaxis euler "
#define PHYSICS "solref solimp margin gap solmix solreflimit solimplimit solreffriction solimpfriction "
#define DRIVE "damping armature nsample interp delay input velrange ffrange "
#define ACTUATOR                                                                                                       \
    "name class group joint jointinparent tendon slidersite cranksite site refsite body user ctrllimited "             \
    "forcelimited "                                                                                                    \
    "actlimited ctrlrange forcerange actrange lengthrange gear cranklength actearly inheritrange actdim " DRIVE

// known: all attributes. remarked: those of them that mean something there and nothing here.
static const struct kind {
    const char *name, *known, *remarked;
} kinds[] = {
    {"compiler",
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb eulerseq "
     "meshdir "
     "texturedir assetdir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange alignfree saveinertial "
     "convexhull exactmeshinertia lengthrange conflict ",
     ""},
    {"option",
     "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance mpr_tolerance sleep_tolerance "
     "gravity wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver "
     "iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations sdf_iterations sdf_initpoints "
     "actuatorgroupdisable collision ",
     "wind density viscosity "},
    {"body", "name class childclass mocap pos gravcomp user sleep simple fuse " ORIENTATION, ""},
    {"frame", "name childclass pos " ORIENTATION, ""},
    {"attach", "model body frame prefix ", ""},
    {"replicate", "count offset euler sep childclass ", ""},
    {"composite",
     "prefix type count offset spacing flatinertia solrefsmooth solimpsmooth curve initial size vertex quat ",
     "flatinertia solrefsmooth solimpsmooth "},
    {"inertial", "pos mass diaginertia fullinertia " ORIENTATION, ""},
    {"joint",
     "name class type group pos axis springdamper limited actuatorfrclimited range actuatorfrcrange actuatorgravcomp "
     "ref springref armature damping frictionloss stiffness user " PHYSICS,
     "actuatorgravcomp " PHYSICS},
    {"freejoint", "name group align ", ""},
    {"site", "name class type group pos size fromto material mesh rgba user " ORIENTATION, ""},
    {"geom",
     "name class type contype conaffinity condim group size material rgba friction mass density shellinertia fromto "
     "pos hfield mesh fitscale fluidshape fluidcoef user priority surfacevel adhesion " PHYSICS ORIENTATION,
     "shellinertia fluidshape surfacevel adhesion " PHYSICS},
    {"mesh",
     "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal maxhullvert inertia "
     "material builtin params octree_maxdepth ",
     ""},
    {"hfield", "name content_type file nrow ncol size elevation ", ""},
    {"motor", ACTUATOR, DRIVE},
    {"position", ACTUATOR "kp kv dampratio timeconst ", "timeconst " DRIVE},
    {"velocity", ACTUATOR "kv ", DRIVE},
    {"intvelocity", ACTUATOR "kp kv dampratio ", DRIVE},
    {"damper", ACTUATOR "kv ", DRIVE},
    {"muscle", ACTUATOR "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax ", DRIVE},
    {"adhesion", ACTUATOR "gain ", DRIVE},
    {"general", ACTUATOR "dyntype gaintype biastype dynprm gainprm biasprm ", DRIVE},
    {"connect", "name class active body1 body2 anchor site1 site2 solref solimp ", ""},
    {"weld", "name class active body1 body2 relpose anchor site1 site2 torquescale solref solimp ", ""},
    {"equality joint", "name class active joint1 joint2 polycoef solref solimp ", "solref solimp "},
    {"equality tendon", "name class active tendon1 tendon2 polycoef solref solimp ", "solref solimp "},
    {"pair", "name class geom1 geom2 condim friction solref solreffriction solimp gap margin adhesion ",
     "solref solreffriction solimp gap margin adhesion "},
    {"fixed",
     "name class group limited range actuatorfrclimited actuatorfrcrange frictionloss springlength stiffness damping "
     "armature width material rgba user " PHYSICS,
     "actuatorfrcrange " PHYSICS},
    {"spatial",
     "name class group limited range actuatorfrclimited actuatorfrcrange frictionloss springlength stiffness damping "
     "armature width material rgba user " PHYSICS,
     "actuatorfrcrange " PHYSICS},
    {"exclude", "name class body1 body2 ", ""},
    {"sensor",
     "name site joint tendon actuator objtype objname body geom reftype refname noise cutoff user nsample interp delay "
     "interval camera "
     "data ",
     "nsample interp delay interval "},
    {"key", "name time qpos qvel act ctrl mpos mquat ", ""},
};

static bool holds(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = words; (p = strstr(p, word)); p += length) {
        if ((p == words || p[-1] == ' ') && p[length] == ' ') {
            return true;
        }
    }
    return false;
}

static bool unknown(tn_mjcf *m, const tn_xml *element, const char *words, const char *name)
{
    enum { WORDS_MAX = 64 };
    char text[1200], hint[160];
    const char *list[WORDS_MAX];
    int n = 0;
    size_t length = strlen(words);
    memcpy(text, words, length + 1);
    for (char *p = text; *p && n < WORDS_MAX;) {
        list[n++] = p;
        p += strcspn(p, " ");
        *p++ = 0;
    }
    tn_read_hint(tn_name_nearest(name, n, list), hint, sizeof hint);
    return tn_read_error(m->reader, element->place, "<%.60s> has no attribute '%.60s'%s", element->name, name, hint);
}

bool tn_mjcf_check(tn_mjcf *m, const tn_xml *element, const char *kind)
{
    size_t k = 0, n = sizeof kinds / sizeof *kinds;
    while (k < n && strcmp(kinds[k].name, kind ? kind : element->name) != 0) {
        k++;
    }
    for (int i = 0; k < n && i < element->n_attributes; i++) {
        const char *name = element->attribute[i].name;
        if (!holds(kinds[k].known, name)) {
            return unknown(m, element, kinds[k].known, name);
        }
        if (holds(kinds[k].remarked, name)) {
            tn_read_remark(m->reader, element->place, "'%s' of <%s> is left out", name, element->name);
        }
    }
    return true;
}
