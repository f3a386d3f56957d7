#include "view/report_picture.h"
#include "base/memory.h"
#include "view/picture.h"
#include "view/png.h"

#include <stdlib.h>

enum { PICTURES = 3, WIDTH = 640, HEIGHT = 400 };

static tn_status put_picture(tn_json *json, const tn_view *view, long frame, const tn_picture *picture, tn_error *error)
{
    tn_status status = tn_picture_draw(view, frame, picture, error);
    char *address = status == TN_OK ? tn_png_address(picture->width, picture->height, picture->rgb, error) : NULL;
    if (address) {
        tn_json_open(json, NULL, '{');
        tn_json_number(json, "time", view->time[frame]);
        tn_json_text(json, "image", address);
        tn_json_close(json, '}');
    }
    free(address);
    return address || status != TN_OK ? status : TN_NO_MEMORY;
}

// Of the first frame, one in the middle, the last; less of fewer frames.
static tn_status put_pictures(tn_json *json, const tn_view *view, tn_error *error)
{
    tn_picture picture = {WIDTH, HEIGHT, tn_calloc(3, (size_t)WIDTH * HEIGHT)};
    tn_status status = picture.rgb ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for a picture");
    long before = -1, last = view->n_frames - 1;
    for (long k = 0; k < PICTURES && status == TN_OK; k++) {
        long frame = last * k / (PICTURES - 1);
        if (frame > before) {
            status = put_picture(json, view, frame, &picture, error);
            before = frame;
        }
    }
    tn_free(picture.rgb);
    return status;
}

tn_status tn_report_put_pictures(tn_json *json, const tn_recording *recording, tn_error *error)
{
    tn_error own = {0};
    tn_view *view = tn_view_open(recording, 1, &own);
    if (!view) {
        if (error) {
            *error = own;
        }
        return own.status;
    }
    tn_json_open(json, "pictures", '[');
    tn_status status = tn_picture_has_any(view) ? put_pictures(json, view, error) : TN_OK;
    tn_json_close(json, ']');
    tn_view_close(view);
    return status;
}
