package org.junit.jupiter.api;

public class Assertions {
    public static void fail(String message) {
        throw new AssertionError(message);
    }
}
