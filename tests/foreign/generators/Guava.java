// java -cp guava.jar Guava.java FOLDER: filters that Guava writes, and what it answers.
// tests/foreign/README.md says which keys.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

public class Guava {
    static final int STRANGERS = 1000;
    static String folder;

    static long number(int i) { return i * 0x9E3779B97F4A7C15L; }

    static String text(int i) {
        return "schl\u00FCssel " + i + "x".repeat(i % 50) + (i % 2 != 0 ? "\u00E9" : "");
    }

    /** Strategy 0 is none that create() takes of a caller. */
    @SuppressWarnings("unchecked")
    static <T> BloomFilter<T> create(Funnel<T> funnel, int n, double fpp, int strategy)
            throws Exception {
        var strategies = Class.forName("com.google.common.hash.BloomFilterStrategies");
        for (var method : BloomFilter.class.getDeclaredMethods()) {
            if (!method.getName().equals("create") || method.getParameterCount() != 4) continue;
            method.setAccessible(true);
            return (BloomFilter<T>)
                    method.invoke(null, funnel, (long) n, fpp, strategies.getEnumConstants()[strategy]);
        }
        throw new IllegalStateException("no create of four parameters");
    }

    static <T> void write(
            String name, Funnel<T> funnel, IntFunction<T> key, int n, double fpp, int strategy)
            throws Exception {
        BloomFilter<T> filter = create(funnel, n, fpp, strategy);
        for (int i = 0; i < n; ++i) filter.put(key.apply(i));
        try (OutputStream out = new FileOutputStream(folder + "/" + name + ".bin")) {
            filter.writeTo(out);
        }
        byte[] answers = new byte[STRANGERS / 8];
        for (int i = 0; i < STRANGERS; ++i)
            if (filter.mightContain(key.apply(n + i))) answers[i / 8] |= (byte) (1 << i % 8);
        try (OutputStream out = new FileOutputStream(folder + "/" + name + ".answers")) {
            out.write(answers);
        }
    }

    public static void main(String[] args) throws Exception {
        folder = args[0];
        Funnel<CharSequence> texts = Funnels.stringFunnel(StandardCharsets.UTF_8);
        write("guava_integers_1", Funnels.longFunnel(), Guava::number, 1, 0.03, 1);
        write("guava_integers_500", Funnels.longFunnel(), Guava::number, 500, 0.03, 1);
        write("guava_text_500", texts, Guava::text, 500, 0.01, 1);
        write("guava32_integers_500", Funnels.longFunnel(), Guava::number, 500, 0.03, 0);
        write("guava32_text_500", texts, Guava::text, 500, 0.01, 0);
    }
}
