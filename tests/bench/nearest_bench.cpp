// How long a dragged control point waits for its words: nearest_bench [MOVES]. For sentences of 32 words and
// vocabularies of 2,000 to 30,000 tokens, in milliseconds of processor time: the search that is made once
// when the point is taken (on a worker in the studio), and the p50 and p95 of what every move of the hand
// costs, with only the words that a control point of a cubic spline reaches, and with all 32.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "core/base/random_stream.h"
#include "core/curve/nearest.h"

namespace kurve {
namespace {

constexpr int kWords = 32, kReached = 4;

/// Processor time in milliseconds: one thread works here, and a busy machine does not blur it.
double now() {
    return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::vector<float> numbers(int count, const char* purpose) {
    RandomStream stream(1, purpose);
    std::vector<float> out;
    for (int i = 0; i < count; ++i) out.push_back(static_cast<float>(stream.normal()));
    return out;
}

double at(std::vector<double> values, double fraction) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

/// Milliseconds of each move of `words` words.
std::vector<double> moves(const curve::MovedNearest& search, int words, int count, int& sink) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        const float by[] = {0.01F * static_cast<float>(i), -0.02F * static_cast<float>(i), 0};
        const double start = now();
        for (int word = 0; word < words; ++word) sink += search.find(word, by).row;
        times.push_back(now() - start);
    }
    return times;
}

void measure(int vocabulary, int dims, int count) {
    const curve::EmbeddingTable table(numbers(vocabulary * dims, "bench.table"), dims);
    const std::vector<float> points = numbers(kWords * dims, "bench.points");
    const std::vector<float> axes = numbers(3 * dims, "bench.axes");
    const double start = now();
    const curve::MovedNearest search(table, points, axes);
    const double made = now() - start;
    int sink = 0;
    const std::vector<double> few = moves(search, kReached, count, sink);
    const std::vector<double> all = moves(search, kWords, count, sink);
    fmt::print(
        "V={:6} d={:4}  once {:7.2f}   a move, {} words {:6.3f} / {:6.3f}   {} words {:6.3f} / {:6.3f}\n",
        vocabulary, dims, made, kReached, at(few, .5), at(few, .95), kWords, at(all, .5), at(all, .95));
    if (sink == -1) fmt::print("\n");  // keeps the results alive
}

}  // namespace
}  // namespace kurve

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
    for (const int dims : {64, 128})
        for (const int vocabulary : {2000, 8000, 30000}) kurve::measure(vocabulary, dims, count);
    return 0;
}
