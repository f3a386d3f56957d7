// `tenon render`: the viewer's page in a headless Chromium, its pictures taken one by one; a single one as PNG, many to
// ffmpeg, which makes a video of them.
#include "base/draft.h"
#include "base/memory.h"
#include "cli/chromium.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "tenon/record.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct render_options {
    const char *out, *view, *follow, *size;
    double time, from, to, speed;
    long fps, passes;
    bool dark;
    long width, height;
    long every; // frames of the recording from picture to picture, where it is a whole number of them
} render_options;

enum { FINE_PASSES = 64 };                // of a single picture
static const double PICTURE_TIME = 120.0; // of one of a video, as far as more passes than one fit into it [ms]

static const char *ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    return remove(path);
}

// ---- pictures

// Base64 into bytes, in place of what was there; how many.
static size_t decode(const char *text, size_t size, unsigned char *out)
{
    size_t n = 0;
    unsigned bits = 0, held = 0;
    for (size_t k = 0; k < size && text[k] != '='; k++) {
        char c = text[k];
        unsigned value = c >= 'A' && c <= 'Z'   ? (unsigned)(c - 'A')
                         : c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 26
                         : c >= '0' && c <= '9' ? (unsigned)(c - '0') + 52
                         : c == '+'             ? 62
                                                : 63;
        held = held << 6 | value;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[n++] = (unsigned char)(held >> bits);
        }
    }
    return n;
}

// The picture at a time goes to the file.
static tn_status take(cli_chromium *c, double time, long passes, const char *type, FILE *out, tn_error *error)
{
    char expression[200];
    snprintf(expression, sizeof expression, "tenon.pictureAt(%.17g,%ld,'image/%s')", time, passes, type);
    const char *value = NULL;
    size_t size = 0;
    tn_status status = cli_chromium_ask(c, expression, &value, &size, error);
    if (status != TN_OK) {
        return status;
    }
    const char *comma = memchr(value, ',', size); // data:image/png;base64,...
    unsigned char *bytes = comma ? tn_calloc(size, 1) : NULL;
    if (!bytes) {
        return tn_error_set(error, TN_IO, "the page gave no picture");
    }
    size_t n = decode(comma + 1, size - (size_t)(comma + 1 - value), bytes);
    bool ok = fwrite(bytes, 1, n, out) == n;
    tn_free(bytes);
    return ok ? TN_OK : tn_error_set(error, TN_IO, "cannot write a picture: %s", strerror(errno));
}

// The page, as the options want it.
static tn_status open_page(cli_chromium *c, const char *folder, const render_options *o, tn_error *error)
{
    char text[900];
    const char *value;
    size_t size;
    snprintf(text, sizeof text, "file://%s/page.html#still-plain-alone%s", folder, o->dark ? "-dark" : "");
    tn_status status = cli_chromium_start(c, folder, o->width, o->height, error);
    status = status == TN_OK ? cli_chromium_open(c, text, error) : status;
    if (status == TN_OK) {
        status = cli_chromium_ask(c,
                                  "new Promise((ok, no) => { const t = () => window.tenon ? ok('there') : "
                                  "document.querySelector('[role=alert]') ? no(Error(document.querySelector("
                                  "'[role=alert]').textContent)) : setTimeout(t, 50); t(); })",
                                  &value, &size, error);
    }
    if (status == TN_OK && o->view) {
        snprintf(text, sizeof text,
                 "tenon.look('%s') ? 'yes' : 'no, there are ' + tenon.world.eye.views.map(v => v.name)", o->view);
        status = cli_chromium_ask(c, text, &value, &size, error);
        if (status == TN_OK && strcmp(value, "yes") != 0) {
            status = tn_error_set(error, TN_BAD_INPUT, "there is no view '%s'%s", o->view, value + 2);
        }
    }
    return status;
}

// The camera as it stands when the view is chosen at that time.
static tn_status frame_at(cli_chromium *c, double time, tn_error *error)
{
    char text[200];
    const char *value;
    size_t size;
    snprintf(
        text, sizeof text,
        "tenon.pictureAt(%.17g,0,'image/jpeg').then(() => { tenon.look(tenon.world.eye.view.name); return 'done'; })",
        time);
    return cli_chromium_ask(c, text, &value, &size, error);
}

static tn_status follow(cli_chromium *c, int body, tn_error *error)
{
    char text[100];
    const char *value;
    size_t size;
    snprintf(text, sizeof text, "tenon.followBody(%d), 'done'", body);
    return cli_chromium_ask(c, text, &value, &size, error);
}

// ---- the video

static tn_status start_ffmpeg(pid_t *child, FILE **input, const render_options *o, const char *video, tn_error *error)
{
    char rate[24], place[400];
    snprintf(rate, sizeof rate, "%ld", o->fps);
    snprintf(place, sizeof place, "%s", video);
    bool webm = strcmp(ending(o->out), ".webm") == 0;
    char *arguments[] = {(char[]){"ffmpeg"},
                         (char[]){"-loglevel"},
                         (char[]){"error"},
                         (char[]){"-y"},
                         (char[]){"-f"},
                         (char[]){"image2pipe"},
                         (char[]){"-c:v"},
                         (char[]){"mjpeg"},
                         (char[]){"-framerate"},
                         rate,
                         (char[]){"-i"},
                         (char[]){"-"},
                         (char[]){"-pix_fmt"},
                         (char[]){"yuv420p"},
                         (char[]){"-crf"},
                         webm ? (char[]){"10"} : (char[]){"20"},
                         (char[]){"-c:v"},
                         webm ? (char[]){"libvpx"} : (char[]){"libx264"},
                         webm ? (char[]){"-deadline"} : (char[]){"-preset"},
                         webm ? (char[]){"realtime"} : (char[]){"veryfast"},
                         (char[]){"-b:v"},
                         webm ? (char[]){"6M"} : (char[]){"0"},
                         place,
                         NULL};
    int ends[2];
    if (pipe(ends) != 0) {
        return tn_error_set(error, TN_IO, "cannot start ffmpeg: %s", strerror(errno));
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int failed = posix_spawnp(child, "ffmpeg", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    *input = failed ? NULL : fdopen(ends[1], "w");
    if (!*input) {
        close(ends[1]);
        return failed == ENOENT ? tn_error_set(error, TN_BAD_INPUT, "videos need ffmpeg; install the package ffmpeg")
                                : tn_error_set(error, TN_IO, "cannot start ffmpeg: %s", strerror(failed));
    }
    return TN_OK;
}

// So many passes that a picture takes its time: measured on this machine.
static tn_status choose_passes(cli_chromium *c, long *passes, tn_error *error)
{
    const char *value;
    size_t size;
    tn_status status = cli_chromium_ask(c, "tenon.timeOfPass()", &value, &size, error);
    double ms = status == TN_OK ? strtod(value, NULL) : 1.0;
    double fit = floor(PICTURE_TIME / fmax(ms, 1.0));
    *passes = fit < 1.0 ? 1 : fit > 16.0 ? 16 : (long)fit;
    return status;
}

static tn_status put_frames(cli_chromium *c, render_options *o, FILE *out, long *n, tn_error *error)
{
    tn_status status = o->passes > 0 ? TN_OK : choose_passes(c, &o->passes, error);
    *n = (long)floor((o->to - o->from) / o->speed * (double)o->fps) + 1;
    cli_progress progress = cli_progress_start("pictures", *n, false);
    for (long k = 0; status == TN_OK && k < *n; k++) {
        status = take(c, o->from + (double)k * o->speed / (double)o->fps, o->passes, "jpeg", out, error);
        cli_progress_update(&progress, k);
        if (cli_interrupted()) {
            status = tn_error_set(error, TN_IO, "interrupted");
        }
    }
    cli_progress_end(&progress);
    return status;
}

static tn_status copy(const char *from, FILE *out, tn_error *error)
{
    char block[65536];
    FILE *in = fopen(from, "rb");
    size_t n = 0, all = 0;
    while (in && (n = fread(block, 1, sizeof block, in)) > 0 && fwrite(block, 1, n, out) == n) {
        all += n;
    }
    if (in) {
        fclose(in);
    }
    return n == 0 && all > 0 ? TN_OK : tn_error_set(error, TN_IO, "ffmpeg wrote no video");
}

static tn_status make_video(cli_chromium *c, const char *folder, render_options *o, FILE *out, long *n, tn_error *error)
{
    char video[400];
    pid_t child = -1;
    FILE *input = NULL;
    snprintf(video, sizeof video, "%s/video%s", folder, ending(o->out));
    tn_status status = start_ffmpeg(&child, &input, o, video, error);
    if (status != TN_OK) {
        return status;
    }
    status = put_frames(c, o, input, n, error);
    fclose(input);
    int result = 0;
    while (waitpid(child, &result, 0) < 0 && errno == EINTR) {
    }
    if (status == TN_OK && !(WIFEXITED(result) && WEXITSTATUS(result) == 0)) {
        return tn_error_set(error, TN_IO, "ffmpeg made no video of the pictures");
    }
    return status == TN_OK ? copy(video, out, error) : status;
}

// ---- the command

// From frame to frame that the page needs: a single picture shows one of them, a video's pictures every so many-th; 1
// where they do not go evenly.
static long frames_a_picture(const tn_recording *recording, const render_options *o, double last)
{
    long n = tn_recording_frame_count(recording);
    if (strcmp(ending(o->out), ".png") == 0) {
        long frame = tn_recording_frame_at(recording, o->time + 1e-9);
        return frame > 0 ? frame : n;
    }
    double each = o->speed / (double)o->fps * (double)(n - 1) / last;
    double off = fabs(each - round(each)) * (double)n;
    return o->from == 0.0 && each >= 1.0 && off < 0.5 ? lround(each) : 1;
}

static tn_status render(const tn_recording *recording, const char *folder, render_options *o, long *n, tn_error *error)
{
    char page[300];
    int body = o->follow ? tn_recording_find_body(recording, o->follow) : -1;
    if (o->follow && body < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "the recording has no body '%s'", o->follow);
    }
    cli_chromium c = {0};
    tn_draft draft;
    snprintf(page, sizeof page, "%s/page.html", folder);
    tn_status status = tn_draft_open(&draft, o->out, error);
    if (status != TN_OK) {
        return status;
    }
    status = tn_recording_export(recording, TN_EXPORT_HTML, page, o->every, NULL, error);
    status = status == TN_OK ? open_page(&c, folder, o, error) : status;
    bool single = strcmp(ending(o->out), ".png") == 0;
    status = status == TN_OK && single ? frame_at(&c, o->time, error) : status;
    status = status == TN_OK && body >= 0 ? follow(&c, body, error) : status;
    *n = 1;
    if (status == TN_OK && single) {
        status = take(&c, o->time, o->passes > 0 ? o->passes : FINE_PASSES, "png", draft.out, error);
    } else if (status == TN_OK) {
        status = make_video(&c, folder, o, draft.out, n, error);
    }
    cli_chromium_stop(&c);
    return tn_draft_close(&draft, status, NULL, error);
}

// Its kind stands behind the length of the first box.
static bool is_other_than_mp4(const char *path)
{
    char begin[8];
    FILE *in = fopen(path, "rb");
    size_t n = in ? fread(begin, 1, sizeof begin, in) : 0;
    if (in) {
        fclose(in);
    }
    return n > 0 && (n < sizeof begin || memcmp(begin + 4, "ftyp", 4) != 0);
}

// What is there may be replaced by its like: each kind has its first bytes.
static tn_status check_out(const render_options *o, tn_error *error)
{
    const char *end = o->out ? ending(o->out) : "";
    if (strcmp(end, ".png") == 0) {
        return tn_draft_check(o->out, "picture", "\x89PNG", error);
    }
    if (strcmp(end, ".webm") == 0) {
        return tn_draft_check(o->out, "video", "\x1A\x45\xDF\xA3", error);
    }
    if (strcmp(end, ".mp4") == 0) {
        return is_other_than_mp4(o->out) ? tn_draft_refuse(o->out, "video", error) : TN_OK;
    }
    return tn_error_set(error, TN_BAD_INPUT, "say where it goes: -o FILE.mp4, FILE.webm or FILE.png");
}

// "1280x720": both sides at least 16 and at most 7680.
static bool read_size(const char *text, long *width, long *height)
{
    char *end;
    *width = strtol(text, &end, 10);
    if (*end != 'x') {
        return false;
    }
    const char *rest = end + 1;
    *height = strtol(rest, &end, 10);
    return end > rest && *end == '\0' && *width >= 16 && *height >= 16 && *width <= 7680 && *height <= 7680;
}

static tn_status check(render_options *o, const tn_recording *recording, tn_error *error)
{
    if (o->size && !read_size(o->size, &o->width, &o->height)) {
        return tn_error_set(error, TN_BAD_INPUT, "--size: '%.40s' is no size; write 1280x720, say", o->size);
    }
    o->width += o->width % 2; // video wants even numbers
    o->height += o->height % 2;
    for (const char *c = o->view ? o->view : ""; *c; c++) {
        if (*c == '\'' || *c == '"' || *c == '\\' || (unsigned char)*c < 0x20) {
            return tn_error_set(error, TN_BAD_INPUT, "there is no view '%.40s'", o->view);
        }
    }
    double last = 0.0;
    tn_status status = tn_recording_read(recording, "time", tn_recording_frame_count(recording) - 1, 1, &last, error);
    o->to = o->to > 0.0 && o->to < last ? o->to : last;
    o->time = o->time > 0.0 ? o->time : 0.5 * last;
    o->every = status == TN_OK && last > 0.0 ? frames_a_picture(recording, o, last) : 1;
    return status != TN_OK || o->from < o->to || strcmp(ending(o->out), ".png") == 0
               ? status
               : tn_error_set(error, TN_BAD_INPUT, "there is nothing between %g s and %g s", o->from, o->to);
}

static int obey(const char *const *arguments, void *user)
{
    render_options *o = user;
    tn_error error = {0};
    if (check_out(o, &error) != TN_OK) {
        return cli_report(&error);
    }
    const char *place = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char folder[256];
    snprintf(folder, sizeof folder, "%s/tenon-XXXXXX", place);
    long n = 0;
    tn_recording *recording = tn_recording_open(arguments[0], &error);
    tn_status status = recording ? check(o, recording, &error) : TN_BAD_INPUT;
    if (status == TN_OK && !mkdtemp(folder)) {
        status = tn_error_set(&error, TN_IO, "cannot make a folder in %s: %s", place, strerror(errno));
    } else if (status == TN_OK) {
        cli_interrupt_watch();
        status = render(recording, folder, o, &n, &error);
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    tn_recording_close(recording);
    if (status == TN_OK) {
        cli_say("%s: %ld picture%s, %ld x %ld\n", o->out, n, n == 1 ? "" : "s", o->width, o->height);
    }
    return status != TN_OK && cli_interrupted() ? EXIT_INTERRUPTED : status == TN_OK ? EXIT_DONE : cli_report(&error);
}

int cli_render(int argc, char **argv)
{
    render_options o = {.speed = 1.0, .fps = 25, .width = 1280, .height = 720};
    const cli_option options[] = {
        {"out", 'o', OPTION_TEXT, &o.out, "FILE", "FILE.mp4 or .webm: a video; .png: one picture"},
        {"view", 'w', OPTION_TEXT, &o.view, "NAME", "overview, front, side, top, or a view of the scene"},
        {"follow", 'f', OPTION_TEXT, &o.follow, "BODY", "the camera goes along with it"},
        {"at", 0, OPTION_POSITIVE, &o.time, "T", "time of the picture [s]; default: half of the run"},
        {"from", 0, OPTION_POSITIVE, &o.from, "T", "where the video begins [s]; default 0"},
        {"to", 0, OPTION_POSITIVE, &o.to, "T", "where it ends [s]; default: the end"},
        {"speed", 0, OPTION_POSITIVE, &o.speed, "X", "simulated time over the video's; default 1"},
        {"fps", 0, OPTION_COUNT, &o.fps, "N", "pictures a second; default 25"},
        {"size", 0, OPTION_TEXT, &o.size, "WxH", "in pixels; default 1280x720"},
        {"passes", 0, OPTION_COUNT, &o.passes, "N",
         "of a picture; default: 64 of one, of a video's as many as are quick"},
        {"dark", 0, OPTION_FLAG, &o.dark, NULL, "the dark theme"},
    };
    const cli_syntax syntax = {
        .command = "render",
        .arguments = "F.h5 -o FILE.mp4|FILE.webm|FILE.png",
        .summary = "Make a video or a picture of a recording.",
        .notes = "Needs Chromium (package chromium), videos also ffmpeg (package ffmpeg).\n",
        .options = options,
        .n_options = sizeof options / sizeof *options,
        .n_arguments_min = 1,
        .n_arguments_max = 1,
    };
    return cli_obey(&syntax, argc, argv, obey, &o);
}
