#include "core/text/statistics.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/lower_case.h"

namespace kurve::text {

LengthSummary summarizeLengths(std::vector<std::int64_t> lengths) {
    if (lengths.empty()) return {};
    std::sort(lengths.begin(), lengths.end());
    const auto rank = [&](std::size_t percent) { return lengths[(percent * lengths.size() + 99) / 100 - 1]; };
    return {lengths.front(), rank(50), rank(95), lengths.back()};
}

std::string sentenceKey(std::string_view text) {
    std::vector<char32_t> points = codePoints(lowerCase(text));
    points.erase(std::remove_if(points.begin(), points.end(), isPunctuation), points.end());
    return toUtf8(points);
}

PairKeys keysOf(const Pair& pair) {
    const auto hashed = [](const std::string& key) { return key.empty() ? 0 : fnv1a(key); };
    return {hashed(sentenceKey(pair.source)), hashed(sentenceKey(pair.target))};
}

std::vector<PairKeys> keysOf(const Corpus& corpus) {
    std::vector<PairKeys> keys;
    for (const Pair& pair : corpus.pairs) keys.push_back(keysOf(pair));
    return keys;
}

SentenceSet::SentenceSet(std::span<const PairKeys> pairs) {
    for (const PairKeys& pair : pairs) {
        if (pair.source != 0) sources_.push_back(pair.source);
        if (pair.target != 0) targets_.push_back(pair.target);
    }
    std::sort(sources_.begin(), sources_.end());
    std::sort(targets_.begin(), targets_.end());
}

bool SentenceSet::shares(PairKeys pair) const {
    return std::binary_search(sources_.begin(), sources_.end(), pair.source) ||
           std::binary_search(targets_.begin(), targets_.end(), pair.target);
}

std::int64_t sentenceCount(const Corpus& documents) {
    std::int64_t sentences = 0;
    for (const Pair& document : documents.pairs)
        sentences += 1 + std::count(document.target.begin(), document.target.end(), '\n');
    return sentences;
}

std::int64_t duplicatePairs(const Corpus& corpus) {
    std::unordered_set<std::string> seen;
    std::int64_t copies = 0;
    for (const Pair& pair : corpus.pairs) copies += !seen.insert(pair.source + "\t" + pair.target).second;
    return copies;
}

Leak findLeak(const Corpus& train, const Corpus& other) {
    const SentenceSet known(keysOf(train));
    Leak leak;
    for (const Pair& pair : other.pairs) {
        if (!known.shares(keysOf(pair))) continue;
        ++leak.pairs;
        if (leak.examples.size() < 5)
            leak.examples.push_back(pair.source.empty() ? pair.target : pair.source);
    }
    return leak;
}

double unseenWordRate(const Corpus& train, const Corpus& other) {
    std::unordered_set<std::string> known;
    for (const Pair& pair : train.pairs)
        for (const std::string* side : {&pair.source, &pair.target})
            for (std::string& word : splitWords(*side)) known.insert(std::move(word));
    std::int64_t words = 0, unseen = 0;
    for (const Pair& pair : other.pairs)
        for (const std::string* side : {&pair.source, &pair.target})
            for (const std::string& word : splitWords(*side)) {
                ++words;
                unseen += !known.contains(word);
            }
    return words == 0 ? 0.0 : static_cast<double>(unseen) / static_cast<double>(words);
}

}  // namespace kurve::text
