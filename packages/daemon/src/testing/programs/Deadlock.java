import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Answers each line with `alive`. After `hang` two threads wait for each other, and one of them reads the lines. */
class Deadlock {
    private static final Object first = new Object();
    private static final Object second = new Object();

    public static void main(String[] args) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("hang")) {
                new Thread(() -> lockBoth(second, first), "world-saver").start();
                lockBoth(first, second);
            }
            System.out.println("alive");
        }
    }

    private static void lockBoth(Object one, Object other) {
        synchronized (one) {
            sleep();
            synchronized (other) {
                System.out.println("never");
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException ignored) {
            // It goes on.
        }
    }
}
