// What several triangles report of one contact becomes one list: no place twice, no points inside an outline.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/facets.h"

enum { OUTLINE = 8, ROOM = 256 };

static bool before(const tn_facet_contact *p, const tn_facet_contact *q)
{
    if (p->group != q->group || p->local != q->local) {
        return p->group != q->group ? p->group < q->group : p->local < q->local;
    }
    for (int i = 0; i < 3; ++i) {
        if (p->point[i] != q->point[i]) {
            return p->point[i] < q->point[i];
        }
    }
    return false;
}

// qsort may allocate.
static void sort_contacts(int n, tn_facet_contact *c)
{
    for (int i = 1; i < n; ++i) {
        tn_facet_contact here = c[i];
        int j = i;
        for (; j > 0 && before(&here, &c[j - 1]); --j) {
            c[j] = c[j - 1];
        }
        c[j] = here;
    }
}

// A corner of the other shape touches a plane once, and any place once in one direction.
static bool same(const tn_facet_contact *p, const tn_facet_contact *q, double size)
{
    double d[3];
    if (p->upright && q->upright && p->group == q->group && p->local == q->local &&
        p->local >> 30 == TN_FEATURE_VERTEX_B) {
        return true;
    }
    tn_vec3_sub(d, p->point, q->point);
    return tn_vec3_dot(p->normal, q->normal) > 1.0 - 1e-6 && tn_vec3_dot(d, d) <= 1e-12 * size * size;
}

// Where two faces meet in an edge that is none to speak of, what lies over it has a contact with each, in one place but
// for what their normals differ by. A corner of the other shape is a place of its own; so are the two sides of a
// valley, where what moves on from one to the other meets it as an obstacle.
static bool doubles(const tn_facet_contact *p, const tn_facet_contact *q, double size)
{
    double d[3], turn[3];
    bool corner = p->local >> 30 == TN_FEATURE_VERTEX_B || q->local >> 30 == TN_FEATURE_VERTEX_B;
    if (!p->upright || !q->upright || p->group == q->group || (corner && p->local != q->local)) {
        return false;
    }
    tn_vec3_sub(turn, p->normal, q->normal);
    double angle = tn_vec3_norm(turn), slack = (angle + 1e-6) * size;
    tn_vec3_sub(d, p->point, q->point);
    bool valley = tn_vec3_dot(d, turn) < -1e-9 * angle * size;
    return angle <= tn_facet_near && tn_vec3_dot(d, d) <= slack * slack && !valley;
}

// Is p the better of two contacts at one place? Not an inner one, then the deeper.
static bool better(const tn_facet_contact *p, const tn_facet_contact *q, double size)
{
    return p->inner != q->inner ? q->inner : p->gap < q->gap - 1e-12 * size;
}

// One of each place and direction; of equals the first. Keeps the order.
static int drop_copies(int n, tn_facet_contact *c, double size)
{
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        int j = 0;
        while (j < kept && !same(&c[i], &c[j], size) && !doubles(&c[i], &c[j], size)) {
            j++;
        }
        if (j == kept) {
            c[kept++] = c[i];
        } else if (better(&c[i], &c[j], size)) {
            c[j] = c[i];
        }
    }
    return kept;
}

// A contact of one group in the group's plane.
typedef struct spot {
    double x, y;
    int index;
} spot;

static void sort_spots(int n, spot *s)
{
    for (int i = 1; i < n; ++i) {
        spot here = s[i];
        int j = i;
        for (; j > 0 && (here.x < s[j - 1].x || (here.x == s[j - 1].x && here.y < s[j - 1].y)); --j) {
            s[j] = s[j - 1];
        }
        s[j] = here;
    }
}

static double turn(const spot *a, const spot *b, const spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

// One half of the hull of spots in order (Andrew's monotone chain), those nearly on a line left out.
static int chain(int n, const spot *s, int step, double flat, spot *out)
{
    int kept = 0;
    for (int k = 0; k < n; ++k) {
        const spot *next = step > 0 ? s + k : s + n - 1 - k;
        while (kept >= 2 && turn(&out[kept - 2], &out[kept - 1], next) <= flat) {
            kept--;
        }
        out[kept++] = *next;
    }
    return kept - 1; // the last begins the other half
}

// Removes the corner that takes the least area with it, until most are left.
static int trim(int n, spot *s, int most)
{
    while (n > most) {
        int least = 0;
        double area = INFINITY;
        for (int i = 0; i < n; ++i) {
            double here = turn(&s[(i + n - 1) % n], &s[i], &s[(i + 1) % n]);
            if (here < area) {
                area = here;
                least = i;
            }
        }
        n--;
        for (int i = least; i < n; ++i) {
            s[i] = s[i + 1];
        }
    }
    return n;
}

// Of the contacts of one plane, the corners of their outline and the deepest. keep (n) is set.
static void mark_outline(int n, const tn_facet_contact *c, double size, bool *keep)
{
    double frame[9];
    spot spots[ROOM], outline[2 * ROOM];
    int deepest = 0;
    tn_mat3_frame(frame, c[0].normal);
    for (int i = 0; i < n; ++i) {
        double d[3];
        tn_vec3_sub(d, c[i].point, c[0].point);
        spots[i] = (spot){tn_vec3_dot(frame + 3, d), tn_vec3_dot(frame + 6, d), i};
        deepest = c[i].gap < c[deepest].gap - 1e-9 * size ? i : deepest;
        keep[i] = false;
    }
    sort_spots(n, spots);
    const double flat = 1e-6 * size * size;
    int count = chain(n, spots, 1, flat, outline);
    count += chain(n, spots, -1, flat, outline + count);
    count = trim(count, outline, OUTLINE);
    bool has_deepest = false;
    for (int i = 0; i < count; ++i) {
        keep[outline[i].index] = true;
        has_deepest |= c[outline[i].index].gap <= c[deepest].gap + 1e-9 * size;
    }
    keep[deepest] |= !has_deepest;
}

// Keeps the order.
static int drop_inner(int n, tn_facet_contact *c, double size)
{
    int deepest = 0, kept = 0;
    for (int i = 1; i < n; ++i) {
        deepest = c[i].gap < c[deepest].gap ? i : deepest;
    }
    bool outer = false; // one as deep as the deepest
    for (int i = 0; i < n; ++i) {
        outer |= !c[i].inner && c[i].gap <= c[deepest].gap + 1e-9 * size;
    }
    for (int i = 0; i < n; ++i) {
        if (!c[i].inner || (!outer && i == deepest)) {
            c[kept++] = c[i];
        }
    }
    return kept;
}

int tn_facet_contacts_reduce(int n, tn_facet_contact *contacts, double size)
{
    bool keep[ROOM];
    int kept = 0;
    sort_contacts(n, contacts);
    n = drop_copies(n, contacts, size);
    for (int first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && contacts[end].group == contacts[first].group;) {
            end++;
        }
        bool face = contacts[first].upright;
        int count = face ? drop_inner(end - first, contacts + first, size) : end - first;
        bool outline = face && count > 2;
        if (outline) {
            mark_outline(count, contacts + first, size, keep);
        }
        for (int i = 0; i < count; ++i) {
            if (!outline || keep[i]) {
                contacts[kept++] = contacts[first + i];
            }
        }
    }
    return kept;
}
