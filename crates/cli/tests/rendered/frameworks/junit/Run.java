import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Runs the tests of a class, as far as the generated ones need JUnit for that. */
class Run {
    public static void main(String[] names) throws Exception {
        Class<?> type = Class.forName(names[0]);
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        int nFailed = 0;
        for (Method method : type.getDeclaredMethods()) {
            if (method.getAnnotation(Test.class) == null || method.getAnnotation(Disabled.class) != null) {
                continue;
            }
            method.setAccessible(true);
            try {
                method.invoke(constructor.newInstance());
                System.out.println("passed: " + method.getName());
            } catch (InvocationTargetException error) {
                nFailed++;
                System.out.println("FAILED: " + error.getCause().getMessage());
            }
        }
        System.exit(nFailed == 0 ? 0 : 1);
    }
}
