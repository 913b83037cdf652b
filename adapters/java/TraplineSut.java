import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connects an implementation in Java to `trapline run`. Copy this file; it needs nothing else.
 *
 * <pre>
 * class Valve implements TraplineSut.Implementation {
 *     long level;
 *
 *     public Map&lt;String, Object&gt; reset(Map&lt;String, Object&gt; inputs) {
 *         level = 0;
 *         return Map.of("alarm", false);
 *     }
 *
 *     public Map&lt;String, Object&gt; step(Map&lt;String, Object&gt; inputs) {
 *         level += TraplineSut.integer(inputs, "flow");
 *         return Map.of("alarm", level &gt; 10);
 *     }
 *
 *     public static void main(String[] args) throws java.io.IOException {
 *         TraplineSut.serve(new Valve());
 *     }
 * }
 * </pre>
 *
 * Values are Boolean, Long, BigDecimal, String, and List for arrays. Throw TraplineSut.Refused where the
 * implementation takes no such input. Any other exception is reported as an error, with its trace on
 * standard error. What the implementation prints goes to standard error too.
 */
public final class TraplineSut {
    private static final int MAX_LINE = 1 << 20;
    private static final int MAX_DEPTH = 64;

    private TraplineSut() {}

    /** What is tested. */
    public interface Implementation {
        /** Starts anew with the inputs of the first state, and returns the outputs. */
        Map<String, Object> reset(Map<String, Object> inputs) throws Exception;

        /** Takes a step with these inputs, and returns the outputs. */
        Map<String, Object> step(Map<String, Object> inputs) throws Exception;
    }

    /** The implementation takes no such input now. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Refused(String why) {
            super(why);
        }
    }

    /** A truth value. */
    public static boolean bool(Map<String, Object> inputs, String name) {
        if (need(inputs, name) instanceof Boolean value) return value;
        throw new IllegalArgumentException("the input `" + name + "` is no truth value");
    }

    /** An integer; words are sent as 0ud8_12. */
    public static long integer(Map<String, Object> inputs, String name) {
        Object value = need(inputs, name);
        if (value instanceof Long number) return number;
        if (value instanceof String text && text.matches("-?0[us]d[0-9]+_[0-9]+")) {
            String digits = text.substring(text.indexOf('_') + 1);
            return Long.parseLong(text.startsWith("-") ? "-" + digits : digits);
        }
        throw new IllegalArgumentException("the input `" + name + "` is no integer of 64 bits");
    }

    /** A number; fractions are sent as f'1/3. */
    public static double real(Map<String, Object> inputs, String name) {
        Object value = need(inputs, name);
        if (value instanceof Number number) return number.doubleValue();
        if (value instanceof String text && text.matches("f'-?[0-9]+/[0-9]+")) {
            int at = text.indexOf('/');
            return Double.parseDouble(text.substring(2, at)) / Double.parseDouble(text.substring(at + 1));
        }
        throw new IllegalArgumentException("the input `" + name + "` is no number");
    }

    /** A text. */
    public static String text(Map<String, Object> inputs, String name) {
        if (need(inputs, name) instanceof String value) return value;
        throw new IllegalArgumentException("the input `" + name + "` is no text");
    }

    private static Object need(Map<String, Object> inputs, String name) {
        Object value = inputs.get(name);
        if (value == null) throw new IllegalArgumentException("the request has no input `" + name + "`");
        return value;
    }

    /** Answers requests until there are no more. */
    public static void serve(Implementation implementation) throws IOException {
        InputStream requests = new BufferedInputStream(System.in);
        PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            line.reset();
            boolean isCut = false;
            int next = requests.read();
            if (next < 0) return;
            for (; next >= 0 && next != '\n'; next = requests.read()) {
                if (line.size() < MAX_LINE) line.write(next);
                else isCut = true;
            }
            String answer = isCut
                ? message("error", "the request has more than " + MAX_LINE + " bytes")
                : answer(implementation, line.toByteArray());
            if (answer != null) {
                answers.print(answer + "\n");
                answers.flush();
            }
        }
    }

    /** The answer to a line; null for a blank one. */
    private static String answer(Implementation implementation, byte[] line) {
        try {
            String text = decode(line);
            if (text.isBlank()) return null;
            Reader reader = new Reader(text);
            boolean isReset = reader.kind();
            Map<String, Object> inputs = reader.inputs();
            Map<String, Object> outputs = isReset ? implementation.reset(inputs) : implementation.step(inputs);
            StringBuilder answer = new StringBuilder("{\"outputs\": ");
            write(answer, outputs);
            return answer.append("}").toString();
        } catch (Refused why) {
            return message("refused", String.valueOf(why.getMessage()));
        } catch (Exception | StackOverflowError | OutOfMemoryError error) {
            error.printStackTrace();
            return message("error", error.getMessage() == null ? error.toString() : error.getMessage());
        }
    }

    private static String decode(byte[] line) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
        } catch (CharacterCodingException error) {
            throw new IllegalArgumentException("the request is not UTF-8", error);
        }
    }

    private static String message(String kind, String text) {
        StringBuilder answer = new StringBuilder("{\"" + kind + "\": ");
        quote(answer, text);
        return answer.append("}").toString();
    }

    private static void write(StringBuilder to, Object value) {
        if (value instanceof Boolean || value instanceof Number) {
            to.append(value);
        } else if (value instanceof CharSequence || value instanceof Enum || value instanceof Character) {
            quote(to, value.toString());
        } else if (value instanceof Map<?, ?> map) {
            String separator = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                quote(to.append(separator), String.valueOf(entry.getKey()));
                write(to.append(": "), entry.getValue());
                separator = ", ";
            }
            to.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            String separator = "[";
            for (Object element : list) {
                write(to.append(separator), element);
                separator = ", ";
            }
            to.append(list.isEmpty() ? "[]" : "]");
        } else {
            throw new IllegalArgumentException("an output is " + value + ", which is no value");
        }
    }

    private static void quote(StringBuilder to, String text) {
        to.append('"');
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') to.append('\\').append(c);
            else if (c < ' ' || Character.isSurrogate(c)) to.append(String.format("\\u%04x", (int) c));
            else to.append(c);
        }
        to.append('"');
    }

    /** Reads JSON. */
    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** The beginning of a request: is it a reset? */
        boolean kind() {
            need('{');
            String kind = string();
            if (!kind.equals("reset") && !kind.equals("step")) throw wrong("is neither a reset nor a step");
            need(':');
            return kind.equals("reset");
        }

        /** The rest of a request. */
        Map<String, Object> inputs() {
            Map<String, Object> inputs = new LinkedHashMap<>();
            need('{');
            if (!takes('}')) {
                do {
                    String name = string();
                    need(':');
                    inputs.put(name, value(0));
                } while (takes(','));
                need('}');
            }
            need('}');
            skip();
            if (at < text.length()) throw wrong("goes on behind its end");
            return inputs;
        }

        private Object value(int depth) {
            if (takes('[')) {
                if (depth == MAX_DEPTH) throw wrong("is nested too deeply");
                List<Object> list = new ArrayList<>();
                if (takes(']')) return list;
                do list.add(value(depth + 1));
                while (takes(','));
                need(']');
                return list;
            }
            if (at < text.length() && text.charAt(at) == '"') return string();
            int start = at;
            while (at < text.length() && " \t\r\n,:[]{}\"".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            switch (word) {
                case "true": return true;
                case "false": return false;
                case "null": return null;
                default: return number(word);
            }
        }

        private Object number(String word) {
            boolean isNumber = word.matches("-?[0-9]{1,40}([.][0-9]{1,40})?([eE][-+]?[0-9]{1,3})?");
            if (!isNumber) throw wrong("has something that is no value, or an object among its inputs");
            BigDecimal number = new BigDecimal(word);
            boolean isLong = number.scale() == 0 && number.toBigInteger().bitLength() < 64;
            return isLong ? (Object) number.longValueExact() : number;
        }

        private String string() {
            need('"');
            StringBuilder string = new StringBuilder();
            while (true) {
                char c = next();
                if (c == '"') return string.toString();
                if (c < ' ') throw wrong("has a control character in a text");
                string.append(c == '\\' ? escape() : c);
            }
        }

        private char escape() {
            char c = next();
            if (c == 'u') {
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    int digit = Character.digit(next(), 16);
                    if (digit < 0) throw wrong("has an escape that means nothing");
                    code = code * 16 + digit;
                }
                return (char) code;
            }
            int known = "\"\\/bfnrt".indexOf(c);
            if (known < 0) throw wrong("has an escape that means nothing");
            return "\"\\/\b\f\n\r\t".charAt(known);
        }

        private char next() {
            if (at == text.length()) throw wrong("has a text without an end");
            return text.charAt(at++);
        }

        private void skip() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }

        private boolean takes(char c) {
            skip();
            if (at == text.length() || text.charAt(at) != c) return false;
            at++;
            return true;
        }

        private void need(char c) {
            if (!takes(c)) throw wrong("is not an object of flat inputs");
        }

        private static IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException("the request " + what);
        }
    }
}
