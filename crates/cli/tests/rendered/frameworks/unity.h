/* What the generated tests use of the Unity framework (ThrowTheSwitch), so that they can be compiled
 * and run where it is not installed. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf unity_end;
static int unity_failures;

#define UNITY_BEGIN() ((void)unity_end, unity_failures = 0)
#define UNITY_END() (unity_failures)
#define TEST_FAIL_MESSAGE(message) \
    (printf("FAIL: %s\n", (message)), unity_failures++, longjmp(unity_end, 1))
#define TEST_IGNORE_MESSAGE(message) (printf("IGNORE: %s\n", (message)), longjmp(unity_end, 1))
#define RUN_TEST(test)               \
    do {                             \
        if (setjmp(unity_end) == 0) { \
            setUp();                 \
            test();                  \
        }                            \
        tearDown();                  \
    } while (0)
