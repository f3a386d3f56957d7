// Colours, visual shapes and views come from the scene through a recording to the page; what a shape looks like does
// not change the model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <math.h>

#include "base/memory.h"
#include "recorded.h"
#include "view/view.h"

#define BODIES                                                                                                         \
    "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  ball: {shapes: [{sphere: 1}, {sphere: 0.5, collides: "     \
    "false}]%s}\n  other: {position: [5, 0, 0], shape: {sphere: 2%s}}\n"
static const char plain[] = BODIES, looks[] = BODIES "views: {chase: {follow: ball, eye: [1, 2, 3]}}\n";
#define DRESS ", visual: [{box: [1, 2, 3], color: [0, 0.5, 1]}], color: [0.25, 0, 0], texture: checker"

static tn_recording *record(const char *text, const char *path, uint64_t *hash)
{
    scenario s = scenario_open("%s", text);
    recorded_steps(&s, path, 0);
    *hash = s.model->hash;
    scenario_close(&s);
    return recorded_read(path);
}

static void looks_are_recorded(void **state)
{
    char path[] = "/tmp/tenon_look_XXXXXX", text[1000];
    uint64_t with = 0, without = 0;
    close(mkstemp(path));
    snprintf(text, sizeof text, plain, "", "");
    tn_recording_close(record(text, path, &without));
    snprintf(text, sizeof text, looks, DRESS, ", color: [1, 0, 0]");
    tn_recording *r = record(text, path, &with);
    assert_true(with == without);
    assert_int_equal(r->n_shapes, 5);
    assert_int_equal(r->n_solid, 4); // plane, ball, other; the mass; then what is shown
    const tn_recorded_shape *box = &r->shapes[4], *ball = &r->shapes[1], *other = &r->shapes[2];
    assert_true(box->visual && box->seen && box->body == 2 && box->shape.kind == TN_SHAPE_BOX);
    assert_true(!ball->visual && !ball->seen && other->seen && r->shapes[0].seen && !r->shapes[3].seen);
    assert_true(box->rgb[0] == 0.0F && box->rgb[1] == 0.5F && box->rgb[2] == 1.0F && isnan(ball->rgb[0]));
    assert_true(other->rgb[0] == 1.0F);
    assert_true(r->rgb[6] == 0.25F && isnan(r->rgb[0]) && isnan(r->rgb[9]));
    assert_true(r->checker[2] == 1 && r->checker[3] == 0);
    assert_int_equal(r->n_views, 1);
    assert_string_equal(r->view_names[0], "chase");
    assert_true(r->views[0].follow == 2 && r->views[0].eye[2] == 3.0 && isnan(r->views[0].target[0]));

    tn_error error = {0};
    tn_view *view = tn_view_open(r, 1, &error);
    char *header = view ? tn_view_header(view, NULL, NULL, &error) : NULL;
    assert_non_null(header);
    static const char *const parts[] = {"\"texture\": \"checker\"", "\"color\": [0.25,0,0]", "\"visual\": true",
                                        "\"color\": [0,0.5,1]",     "\"name\": \"chase\"",   "\"follow\": 2"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(header, parts[i])) {
            fail_msg("no %s in %s", parts[i], header);
        }
    }
    tn_free(header);
    tn_view_close(view);
    tn_recording_close(r);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(looks_are_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
