/* Connects an implementation in C or C++ to `trapline run`. Copy this file; it needs nothing else.
 *
 *     #include "trapline_sut.h"
 *
 *     static int level;
 *
 *     static void reset(const trapline_inputs *in, trapline_outputs *out) {
 *         (void)in;
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
 * Call trapline_refuse(out, "why") where the implementation takes no such input, and
 * trapline_fail(out, "why") where it can't go on. An input that is asked for and was not sent, or is
 * not of that type, is an error too. Elements of an array have the name of the array and a position
 * from 0 on, as in trapline_int(in, "level[2]"). Print to standard error only: standard output holds
 * the answers.
 */
#ifndef TRAPLINE_SUT_H
#define TRAPLINE_SUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAPLINE_MAX_INPUTS 4096
#define TRAPLINE_MAX_LINE (1 << 20)
#define TRAPLINE_MAX_TEXT 256
#define TRAPLINE_MAX_DEPTH 8

/* The values of a request, as they are written. */
typedef struct {
    int count;
    const char *names[TRAPLINE_MAX_INPUTS];
    const char *values[TRAPLINE_MAX_INPUTS];
    char elements[1 << 16]; /* the names of elements */
    size_t length;
    char *wrong; /* the first thing that is wrong with the request, or with what was asked of it */
} trapline_inputs;

/* An answer that is being written. */
typedef struct {
    char text[TRAPLINE_MAX_LINE];
    size_t length;
    int count;
    int is_cut;
    char refused[TRAPLINE_MAX_TEXT];
    char failed[TRAPLINE_MAX_TEXT];
} trapline_outputs;

/* ---- Inputs ---- */

/* Notes what is wrong, unless something else was wrong before. */
static inline void trapline_wrong(char *wrong, const char *what, const char *name) {
    size_t length;
    if (wrong[0]) return;
    snprintf(wrong, TRAPLINE_MAX_TEXT, what, name);
    length = strlen(wrong);
    if (length < TRAPLINE_MAX_TEXT - 1) return;
    /* No half of a character may be left where the text was cut. */
    while (length && ((unsigned char)wrong[length - 1] & 0xC0) == 0x80) length--;
    if (length && (unsigned char)wrong[length - 1] >= 0xC0) length--;
    wrong[length] = 0;
}

/* The text of an input; NULL if it was not sent. */
static inline const char *trapline_find(const trapline_inputs *in, const char *name) {
    int i;
    for (i = 0; i < in->count; i++)
        if (strcmp(in->names[i], name) == 0) return in->values[i];
    return NULL;
}

/* The text of an input that must be there. */
static inline const char *trapline_text(const trapline_inputs *in, const char *name) {
    const char *text = trapline_find(in, name);
    if (!text) trapline_wrong(in->wrong, "the request has no input `%s`", name);
    return text ? text : "";
}

/* An integer; words are sent as 0ud8_12. */
static inline long long trapline_int(const trapline_inputs *in, const char *name) {
    const char *text = trapline_text(in, name), *digits = text;
    char *end;
    long long value;
    int is_negative = 0;
    if (strchr(text, '_')) {
        is_negative = text[0] == '-';
        digits = strchr(text, '_') + 1;
    }
    errno = 0;
    value = strtoll(digits, &end, 10);
    if (end == digits || *end || errno) {
        trapline_wrong(in->wrong, "the input `%s` is no integer of 64 bits", name);
        return 0;
    }
    return is_negative ? -value : value;
}

/* A number; fractions are sent as f'1/3. */
static inline double trapline_real(const trapline_inputs *in, const char *name) {
    const char *text = trapline_text(in, name);
    char *end;
    double value, below = 1;
    if (strncmp(text, "f'", 2) == 0) text += 2;
    value = strtod(text, &end);
    if (*end == '/') below = strtod(end + 1, &end);
    if (end == text || *end || below == 0) {
        trapline_wrong(in->wrong, "the input `%s` is no number", name);
        return 0;
    }
    return value / below;
}

static inline int trapline_true(const trapline_inputs *in, const char *name) {
    const char *text = trapline_text(in, name);
    int is_true = strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "false") != 0)
        trapline_wrong(in->wrong, "the input `%s` is no truth value", name);
    return is_true;
}

static inline int trapline_is(const trapline_inputs *in, const char *name, const char *value) {
    return strcmp(trapline_text(in, name), value) == 0;
}

/* ---- Outputs ---- */

static inline void trapline_put(trapline_outputs *out, const char *text) {
    size_t length = strlen(text);
    if (length >= sizeof out->text - out->length) {
        out->is_cut = 1;
        return;
    }
    memcpy(out->text + out->length, text, length + 1);
    out->length += length;
}

static inline void trapline_quoted(trapline_outputs *out, const char *text) {
    char one[8];
    trapline_put(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        const char *form = c < 0x20 ? "\\u%04x" : c == '"' || c == '\\' ? "\\%c" : "%c";
        snprintf(one, sizeof one, form, c);
        trapline_put(out, one);
    }
    trapline_put(out, "\"");
}

/* A value that is written as JSON, such as an array: trapline_raw(out, "lamps", "[true, false]"). */
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

/* The implementation takes no such input now. */
static inline void trapline_refuse(trapline_outputs *out, const char *why) {
    trapline_wrong(out->refused, "%s", *why ? why : "refused");
}

/* The implementation can't go on. */
static inline void trapline_fail(trapline_outputs *out, const char *why) {
    trapline_wrong(out->failed, "%s", *why ? why : "failed");
}

/* ---- Requests: one flat object in another, in place ---- */

static inline void trapline_skip(char **at) { *at += strspn(*at, " \t\r\n"); }

/* Goes on behind a character, if it is the next. */
static inline int trapline_take(char **at, char c) {
    trapline_skip(at);
    if (**at != c) return 0;
    ++*at;
    return 1;
}

static inline int trapline_hex(char **at, unsigned *code) {
    int i;
    *code = 0;
    for (i = 0; i < 4; i++, ++*at) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *digit;
        if (!**at || !(digit = strchr(digits, **at))) return 0;
        *code = *code * 16 + (unsigned)((digit - digits) % 16);
    }
    return 1;
}

/* Reads what follows \u, perhaps two halves, and writes it as UTF-8, which is shorter. */
static inline int trapline_unicode(char **at, char **to) {
    unsigned code, low;
    if (!trapline_hex(at, &code) || code == 0 || (code >= 0xDC00 && code < 0xE000)) return 0;
    if (code >= 0xD800 && code < 0xDC00) {
        if (**at != '\\' || (*at)[1] != 'u') return 0;
        *at += 2;
        if (!trapline_hex(at, &low) || low < 0xDC00 || low > 0xDFFF) return 0;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if (code < 0x80) {
        *(*to)++ = (char)code;
        return 1;
    }
    if (code < 0x800) {
        *(*to)++ = (char)(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            *(*to)++ = (char)(0xE0 | (code >> 12));
        } else {
            *(*to)++ = (char)(0xF0 | (code >> 18));
            *(*to)++ = (char)(0x80 | ((code >> 12) & 0x3F));
        }
        *(*to)++ = (char)(0x80 | ((code >> 6) & 0x3F));
    }
    *(*to)++ = (char)(0x80 | (code & 0x3F));
    return 1;
}

/* Reads a text in quotation marks and ends it in place; NULL if it is broken. */
static inline char *trapline_string(char **at) {
    static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *start, *to;
    const char *escape;
    if (!trapline_take(at, '"')) return NULL;
    start = to = *at;
    while (**at != '"') {
        if ((unsigned char)**at < 0x20) return NULL;
        if (**at != '\\') {
            *to++ = *(*at)++;
        } else if (*++*at == 'u') {
            ++*at;
            if (!trapline_unicode(at, &to)) return NULL;
        } else {
            if (!**at || !(escape = strchr(escapes, **at))) return NULL;
            *to++ = meant[escape - escapes];
            ++*at;
        }
    }
    ++*at;
    *to = 0;
    return start;
}

/* Reads true, false, null or a number; NULL if it is something else. Moved by one over what stands
 * before it, which was read already, so that there is room to end it. */
static inline char *trapline_word(char **at) {
    size_t length = strcspn(*at, " \t\r\n,:[]{}\"");
    char *word = *at - 1, *end;
    if (!length) return NULL;
    memmove(word, *at, length);
    word[length] = 0;
    *at += length;
    if (!strcmp(word, "true") || !strcmp(word, "false") || !strcmp(word, "null")) return word;
    if (strspn(word, "+-.0123456789eE") != length) return NULL;
    strtod(word, &end);
    return *end ? NULL : word;
}

/* The name of an element; NULL if there is no room. */
static inline const char *trapline_element(trapline_inputs *in, const char *array, int position) {
    char *name = in->elements + in->length;
    size_t room = sizeof in->elements - in->length;
    int length = snprintf(name, room, "%s[%d]", array, position);
    if (length < 0 || (size_t)length >= room) return NULL;
    in->length += (size_t)length + 1;
    return name;
}

/* Reads the value of an input; the elements of an array are inputs of their own. */
static inline int trapline_value(char **at, trapline_inputs *in, const char *name, int depth) {
    const char *value, *element;
    int position = 0;
    trapline_skip(at);
    if (**at == '[') {
        if (depth == TRAPLINE_MAX_DEPTH) return 0;
        ++*at;
        if (trapline_take(at, ']')) return 1;
        do {
            if (!(element = trapline_element(in, name, position++))) return 0;
            if (!trapline_value(at, in, element, depth + 1)) return 0;
        } while (trapline_take(at, ','));
        return trapline_take(at, ']');
    }
    value = **at == '"' ? trapline_string(at) : trapline_word(at);
    if (!value || in->count == TRAPLINE_MAX_INPUTS) return 0;
    in->names[in->count] = name;
    in->values[in->count++] = value;
    return 1;
}

/* Reads a request: 'r' for a reset, 's' for a step, 0 for what is none. */
static inline int trapline_read(char *at, trapline_inputs *in) {
    const char *kind, *name;
    in->count = 0;
    in->length = 0;
    if (!trapline_take(&at, '{') || !(kind = trapline_string(&at))) return 0;
    if (strcmp(kind, "reset") != 0 && strcmp(kind, "step") != 0) return 0;
    if (!trapline_take(&at, ':') || !trapline_take(&at, '{')) return 0;
    if (!trapline_take(&at, '}')) {
        do {
            if (!(name = trapline_string(&at)) || !trapline_take(&at, ':')) return 0;
            if (!trapline_value(&at, in, name, 0)) return 0;
        } while (trapline_take(&at, ','));
        if (!trapline_take(&at, '}')) return 0;
    }
    if (!trapline_take(&at, '}')) return 0;
    trapline_skip(&at);
    return *at ? 0 : kind[0];
}

/* ---- The loop ---- */

/* Reads a line: 1, or 0 at the end; -1 for one that is too long or has a zero byte in it. */
static inline int trapline_line(char *line, size_t room) {
    size_t length = 0;
    int c, is_whole = 1;
    while ((c = getc(stdin)) != EOF && c != '\n') {
        if (length + 1 < room && c != 0)
            line[length++] = (char)c;
        else
            is_whole = 0;
    }
    line[length] = 0;
    if (c == EOF && length == 0 && is_whole) return 0;
    return is_whole ? 1 : -1;
}

static inline void trapline_message(trapline_outputs *out, const char *kind, const char *text) {
    out->length = 0;
    out->text[0] = 0;
    trapline_quoted(out, text);
    printf("{\"%s\": %s}\n", kind, out->text);
}

static inline void trapline_answer(trapline_outputs *out, const char *wrong) {
    if (wrong[0])
        trapline_message(out, "error", wrong);
    else if (out->failed[0])
        trapline_message(out, "error", out->failed);
    else if (out->refused[0])
        trapline_message(out, "refused", out->refused);
    else if (out->is_cut)
        trapline_message(out, "error", "the answer is too long");
    else
        printf("{\"outputs\": {%s}}\n", out->text);
    fflush(stdout);
}

typedef void (*trapline_handler)(const trapline_inputs *, trapline_outputs *);

/* Answers requests until there are no more. */
static inline int trapline_serve(trapline_handler reset, trapline_handler step) {
    static char line[TRAPLINE_MAX_LINE], wrong[TRAPLINE_MAX_TEXT];
    static trapline_inputs in;
    static trapline_outputs out;
    int got, kind;
    while ((got = trapline_line(line, sizeof line)) != 0) {
        if (got > 0 && line[strspn(line, " \t\r\n")] == 0) continue;
        in.wrong = wrong;
        wrong[0] = out.text[0] = out.refused[0] = out.failed[0] = 0;
        out.length = 0;
        out.count = out.is_cut = 0;
        kind = got < 0 ? 0 : trapline_read(line, &in);
        if (kind == 'r') reset(&in, &out);
        if (kind == 's') step(&in, &out);
        if (!kind) trapline_fail(&out, "the request is no reset or step with flat inputs, or it is too long");
        trapline_answer(&out, wrong);
    }
    return 0;
}

#endif
