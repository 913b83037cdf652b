/* Connects an implementation in C or C++ to `trapline run`. Copy this file; it needs nothing else.
 *
 *     #include "trapline_sut.h"
 *
 *     static int level;
 *
 *     static void reset(const trapline_inputs *in, trapline_outputs *out) {
 *         level = 0;
 *         trapline_bool(out, "alarm", 0);
 *     }
 *
 *     static void step(const trapline_inputs *in, trapline_outputs *out) {
 *         level += (int)trapline_int(in, "flow");
 *         trapline_bool(out, "alarm", level > 10);
 *     }
 *
 *     int main(void) { return trapline_serve(reset, step); }
 *
 * Call trapline_refuse(out, "why") where the implementation takes no such input. Requests are flat
 * objects; the elements of an array have the name of the array and a position from 0 on, as in
 * trapline_int(in, "level[2]"). Print to standard error only: standard output holds the answers.
 */
#ifndef TRAPLINE_SUT_H
#define TRAPLINE_SUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAPLINE_MAX_INPUTS 1024
#define TRAPLINE_MAX_LINE (1 << 20)

/* The values of a request, as they are written. */
typedef struct {
    int count;
    const char *names[TRAPLINE_MAX_INPUTS];
    const char *values[TRAPLINE_MAX_INPUTS];
    char elements[1 << 16]; /* the names of elements */
    size_t length;
} trapline_inputs;

/* An answer that is being written. */
typedef struct {
    char text[TRAPLINE_MAX_LINE];
    size_t length;
    int count;
    const char *refused;
} trapline_outputs;

/* The text of an input; NULL if it was not sent. */
static inline const char *trapline_text(const trapline_inputs *in, const char *name) {
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->names[i], name) == 0) return in->values[i];
    return NULL;
}

static inline long long trapline_int(const trapline_inputs *in, const char *name) {
    const char *text = trapline_text(in, name);
    return text ? atoll(text) : 0;
}

static inline int trapline_true(const trapline_inputs *in, const char *name) {
    const char *text = trapline_text(in, name);
    return text && strcmp(text, "true") == 0;
}

static inline int trapline_is(const trapline_inputs *in, const char *name, const char *value) {
    const char *text = trapline_text(in, name);
    return text && strcmp(text, value) == 0;
}

static inline void trapline_put(trapline_outputs *out, const char *text) {
    size_t length = strlen(text);
    if (out->length + length < sizeof out->text) {
        memcpy(out->text + out->length, text, length + 1);
        out->length += length;
    }
}

static inline void trapline_quoted(trapline_outputs *out, const char *text) {
    char one[2] = {0, 0};
    trapline_put(out, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') trapline_put(out, "\\");
        one[0] = *text;
        trapline_put(out, one);
    }
    trapline_put(out, "\"");
}

static inline void trapline_raw(trapline_outputs *out, const char *name, const char *value) {
    trapline_put(out, out->count++ ? ", " : "");
    trapline_quoted(out, name);
    trapline_put(out, ": ");
    trapline_put(out, value);
}

static inline void trapline_bool(trapline_outputs *out, const char *name, int value) {
    trapline_raw(out, name, value ? "true" : "false");
}

static inline void trapline_number(trapline_outputs *out, const char *name, long long value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    trapline_raw(out, name, text);
}

static inline void trapline_symbol(trapline_outputs *out, const char *name, const char *value) {
    trapline_raw(out, name, "");
    trapline_quoted(out, value);
}

static inline void trapline_refuse(trapline_outputs *out, const char *why) { out->refused = why; }

/* Reads a text in quotation marks; ends it in place. */
static inline char *trapline_string(char **at) {
    char *start = ++*at, *end = start;
    for (; **at && **at != '"'; ++*at) {
        if (**at == '\\' && (*at)[1]) ++*at;
        *end++ = **at;
    }
    if (**at) ++*at;
    *end = 0;
    return start;
}

/* Reads a value that is not a text; ends it in place, and says where it ended. */
static inline char *trapline_word(char **at, char *ended) {
    char *start = *at;
    while (**at && !strchr(",]} \t\r\n", **at)) ++*at;
    *ended = **at;
    if (**at) *(*at)++ = 0;
    return start;
}

static inline void trapline_add(trapline_inputs *in, const char *name, const char *value) {
    if (in->count < TRAPLINE_MAX_INPUTS) {
        in->names[in->count] = name;
        in->values[in->count++] = value;
    }
}

/* The name of an element. */
static inline const char *trapline_element(trapline_inputs *in, const char *array, int position) {
    char *name = in->elements + in->length;
    size_t room = sizeof in->elements - in->length;
    size_t length = (size_t)snprintf(name, room, "%s[%d]", array, position);
    if (length >= room) return "";
    in->length += length + 1;
    return name;
}

/* Reads the inputs of a request: names and values of one object, arrays as their elements. */
static inline void trapline_read(char *at, trapline_inputs *in) {
    const char *name = NULL, *value;
    char ended = 0;
    int position = -1;
    in->count = 0;
    in->length = 0;
    at = strchr(at, ':');
    while (at && *at && ended != '}') {
        at += strspn(at, " \t\r\n,:{");
        if (*at == '}' || !*at) break;
        if (!name) {
            if (*at != '"') break;
            name = trapline_string(&at);
        } else if (*at == '[') {
            position = 0;
            at++;
        } else if (*at == ']') {
            position = -1;
            name = NULL;
            at++;
        } else {
            ended = 0;
            value = *at == '"' ? trapline_string(&at) : trapline_word(&at, &ended);
            trapline_add(in, position < 0 ? name : trapline_element(in, name, position++), value);
            if (position < 0 || ended == ']') name = NULL;
            if (ended == ']') position = -1;
        }
    }
}

typedef void (*trapline_handler)(const trapline_inputs *, trapline_outputs *);

static inline int trapline_serve(trapline_handler reset, trapline_handler step) {
    static char line[TRAPLINE_MAX_LINE];
    static trapline_inputs in;
    static trapline_outputs out;
    while (fgets(line, sizeof line, stdin)) {
        int is_reset = strncmp(line + strspn(line, " \t{"), "\"reset\"", 7) == 0;
        trapline_read(line, &in);
        out.length = 0;
        out.count = 0;
        out.refused = NULL;
        out.text[0] = 0;
        (is_reset ? reset : step)(&in, &out);
        if (out.refused) {
            out.length = 0;
            trapline_quoted(&out, out.refused);
            printf("{\"refused\": %s}\n", out.text);
        } else {
            printf("{\"outputs\": {%s}}\n", out.text);
        }
        fflush(stdout);
    }
    return 0;
}

#endif
