#include "core/train/decode.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <span>

#include "core/base/text.h"
#include "core/text/sentences.h"

namespace kurve::train {
namespace {

std::vector<std::string> sentenceTexts(const Candidate& candidate, const text::Tokenizer& target) {
    std::vector<std::string> sentences;
    std::span<const std::int32_t> left(candidate.ids);
    for (const std::int32_t tokens : candidate.sentences) {
        sentences.push_back(target.decode(left.first(static_cast<std::size_t>(tokens))));
        left = left.subspan(static_cast<std::size_t>(tokens));
    }
    return sentences;
}

/// A document's sentences stand one behind another.
std::string textOf(const Candidate& candidate, const text::Tokenizer& target) {
    return candidate.sentences.empty() ? target.decode(candidate.ids)
                                       : join(sentenceTexts(candidate, target), " ");
}

Decoded toTexts(const GeneratedRow& row, const text::Tokenizer& target) {
    Decoded decoded{
        textOf(row.best, target), row.best.score, {}, row.best.ids, sentenceTexts(row.best, target)};
    if (row.candidates.size() > 1)
        for (const auto& candidate : row.candidates)
            decoded.candidates.push_back({textOf(candidate, target), candidate.score, candidate.number,
                                          static_cast<std::int64_t>(candidate.ids.size())});
    for (const auto& [name, mean] : row.best.sampleStatistics)
        if (mean.count > 0) decoded.statistics[name] = mean.sum / mean.count;
    return decoded;
}

/// The texts of some sources of a request, for a scorer.
std::vector<std::string> textsOf(const DecodeRequest& request, std::span<const std::size_t> which,
                                 const text::Tokenizer& source) {
    std::vector<std::string> texts;
    for (const std::size_t row : which) {
        const auto& ids = request.sources[row];
        texts.push_back(request.texts.empty() ? source.decode(std::span(ids).subspan(1, ids.size() - 2))
                                              : request.texts[row]);
    }
    return texts;
}

void add(const GeneratedRow& row, std::size_t number, const text::Tokenizer& target, DecodedSet& set) {
    set.rows[number] = toTexts(row, target);
    for (const auto& [name, mean] : row.best.sampleStatistics) {
        set.sampleStatistics[name].sum += mean.sum;
        set.sampleStatistics[name].count += mean.count;
    }
}

nlohmann::json samplerJson(const RunConfig& config) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& field : config.schema().fields)
        if (field.key.rfind("sampler.", 0) == 0) all[field.key] = toJson(config.value(field.key));
    return all;
}

/// Their texts as a trace shows them.
std::string tokensJson(const text::Tokenizer& tokenizer, const std::vector<std::int32_t>& ids) {
    std::vector<std::string> texts;
    for (const std::int32_t id : ids) texts.push_back(text::shownToken(tokenizer, id));
    return nlohmann::json(texts).dump();
}

/// What a trace says of itself while it is recorded; no branch can be made of it yet.
std::map<std::string, std::string> labelsOf(const TextModel& model, const TraceRequest& request,
                                            const RunConfig& sampler, const TraceOrigin& origin) {
    std::map<std::string, std::string> meta{{"family", sampler.family()},
                                            {"run", origin.run},
                                            {"checkpoint", origin.checkpoint},
                                            {"checkpoint_sha256", origin.checkpointSha256},
                                            {"checkpoint_step", std::to_string(origin.step)},
                                            {"prompt", request.prompt.text},
                                            {"reference", request.reference},
                                            {"output", ""},
                                            {"sampler", samplerJson(sampler).dump()},
                                            {"seed", std::to_string(request.seed)},
                                            {"tokenizer_hash", model.tokenizers.target->hash()},
                                            {"edits", ""}};
    if (request.prompt.kind != text::PromptKind::Source)
        meta["prompt_kind"] = text::promptKindName(request.prompt.kind);
    if (request.row != 0) meta["noise_row"] = std::to_string(request.row);
    return meta;
}

std::string editNames(const SequenceModel& model) {
    std::vector<std::string> names;
    for (const auto kind : model.edits()) names.emplace_back(trace::editKindName(kind));
    return join(names, ",");
}

/// Adds what belongs to the whole trace to whatever a family begins.
class LabelledSink final : public trace::TraceSink {
public:
    LabelledSink(trace::TraceSink& next, std::vector<std::int32_t> reference)
        : next_(next), reference_(std::move(reference)) {}
    void begin(int plannedSteps) override {
        next_.begin(plannedSteps);
        if (reference_.empty()) return;
        next_.addConstant(
            "reference/ids",
            {{static_cast<std::int64_t>(reference_.size())}, {reference_.begin(), reference_.end()}, false});
    }
    void addConstant(const std::string& name, trace::Block block) override {
        next_.addConstant(name, std::move(block));
    }
    void append(const trace::Trace& frames) override { next_.append(frames); }

private:
    trace::TraceSink& next_;
    std::vector<std::int32_t> reference_;
};

std::unique_ptr<trace::TraceWriter> writerFor(const TraceRequest& request, const text::Tokenizer& target,
                                              std::map<std::string, std::string> meta) {
    const auto textOf = [&target](std::uint32_t id) {
        const bool known = id < static_cast<std::uint32_t>(target.vocabularySize());
        return known ? text::shownToken(target, static_cast<std::int32_t>(id)) : std::string();
    };
    return std::make_unique<trace::TraceWriter>(
        trace::TraceWriter::Options{request.growing, std::move(meta), textOf, request.progress});
}

}  // namespace

Status checkPromptKind(const RunConfig& config, text::PromptKind kind) {
    const std::string& data = config.text("data.kind");
    const auto found = config.schema().prompts.find(data);
    const std::vector<std::string> known =
        found == config.schema().prompts.end() ? std::vector<std::string>() : found->second;
    const std::string name = text::promptKindName(kind);
    if (std::find(known.begin(), known.end(), name) != known.end()) return {};
    return requestError("prompt.unsupported",
                        fmt::format("a model of the family {} trained on {} takes no prompt "
                                    "of the kind \"{}\"",
                                    config.family(), data, name))
        .at("prompt")
        .fix("it takes: " + join(known, ", "));
}

Status addPrompt(DecodeRequest& request, const text::Tokenizers& tokenizers, const text::Prompt& prompt,
                 const RunConfig& config) {
    KURVE_CHECKED(checkPromptKind(config, prompt.kind));
    KURVE_TRY(text::EncodedPrompt encoded,
              text::encodePrompt(tokenizers, prompt, text::documentRules(config)));
    request.sources.push_back(std::move(encoded.source));
    request.templates.push_back(std::move(encoded.known));
    request.texts.push_back(prompt.text);
    return {};
}

std::shared_ptr<const SentenceCorpus> sentenceCorpus(const text::Dataset& data, std::size_t most) {
    if (!data.documents) return nullptr;
    std::set<std::vector<std::int32_t>> different;
    for (std::size_t document = 0; document < data.train.size(); ++document)
        for (std::size_t s = 0; s < data.train.sentences(document) && different.size() < most; ++s)
            different.insert(data.train.sentence(document, s));
    return std::make_shared<const SentenceCorpus>(different.begin(), different.end());
}

std::vector<std::int32_t> encodeWithSpecials(const text::Tokenizer& tokenizer, std::string_view text) {
    std::vector<std::int32_t> ids = tokenizer.encode(text);
    ids.insert(ids.begin(), tokenizer.special().bos);
    ids.push_back(tokenizer.special().eos);
    return ids;
}

TextShape shapeOf(const text::Tokenizers& tokenizers, const RunConfig& config) {
    return {tokenizers.source->vocabularySize(),
            tokenizers.target->vocabularySize(),
            tokenizers.joint(),
            config.integer(text::isRunning(config) ? "data.block" : "data.max_length"),
            !text::isWithoutSource(config),
            tokenizers.target->special()};
}

ModelContext contextOf(const text::Tokenizers& tokenizers, const RunConfig& config, c10::Device device,
                       RunResolver* maybeResolver) {
    return {shapeOf(tokenizers, config), device, maybeResolver, tokenizerHash(tokenizers)};
}

Result<DecodedSet> decode(const TextModel& text, const DecodeRequest& request, const RunConfig& sampler) {
    KURVE_TRY(const Reranker reranker, rerankerFor(text.maybeResolver, sampler));
    std::vector<std::size_t> order(request.sources.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return request.sources[a].size() < request.sources[b].size();
    });
    DecodedSet set;
    set.rows.resize(order.size());
    const auto chunk = static_cast<std::size_t>(std::max(1, request.rowsPerCall));
    for (std::size_t first = 0; first < order.size(); first += chunk) {
        const auto rows = std::span(order).subspan(first, std::min(chunk, order.size() - first));
        GenerateRequest generate;
        generate.seed = request.seed + first;
        generate.cancel = request.cancel;
        generate.collectStatistics = request.collectStatistics;
        for (const std::size_t row : rows) {
            generate.sources.push_back(request.sources[row]);
            if (!request.templates.empty()) generate.templates.push_back(request.templates[row]);
        }
        KURVE_TRY(Generation generation, text.model.generate(generate, sampler, nullptr));
        set.networkCalls += generation.networkCalls;
        if ((set.cancelled = generation.cancelled)) return set;
        if (reranker.decides())
            KURVE_CHECKED(rankCandidates(reranker, textsOf(request, rows, *text.tokenizers.source),
                                         *text.tokenizers.target, generation.rows));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            add(generation.rows[i], rows[i], *text.tokenizers.target, set);
            set.rows[rows[i]].seedOffset = first;
            set.rows[rows[i]].row = i;
        }
        if (request.progress) request.progress(first + rows.size());
    }
    return set;
}

std::string RecordedTrace::metaText(const std::string& key) const {
    if (const auto found = meta.find(key); found != meta.end()) return found->second;
    return writer->metaText(key);
}

Result<RecordedTrace> recordTrace(const TextModel& text, const TraceRequest& request,
                                  const RunConfig& sampler, const TraceOrigin& origin) {
    KURVE_TRY(const Reranker reranker, rerankerFor(text.maybeResolver, sampler));
    GenerateRequest generate;
    KURVE_CHECKED(checkPromptKind(sampler, request.prompt.kind));
    KURVE_TRY(text::EncodedPrompt prompt,
              text::encodePrompt(text.tokenizers, request.prompt, text::documentRules(sampler)));
    const text::Tokenizer& target = *text.tokenizers.target;
    generate.sources.push_back(std::move(prompt.source));
    generate.templates.push_back(std::move(prompt.known));
    if (text::isDocuments(sampler))
        for (const std::string& sentence : text::sentencesOf(request.reference))
            generate.references.push_back(encodeWithSpecials(target, sentence));
    else if (!request.reference.empty())
        generate.references.push_back(encodeWithSpecials(target, request.reference));
    generate.seed = request.seed;
    generate.firstRow = request.row;
    generate.cancel = request.cancel;
    generate.candidate = request.candidate;
    RecordedTrace recorded;
    const auto rank = [&](Generation& generation) {
        return rankCandidates(reranker, {&request.prompt.text, 1}, target, generation.rows,
                              generate.candidate);
    };
    if (reranker.decides() && !generate.candidate) {
        KURVE_TRY(Generation plain, text.model.generate(generate, sampler, nullptr));
        recorded.networkCalls = plain.networkCalls;
        if ((recorded.cancelled = plain.cancelled)) return recorded;
        KURVE_CHECKED(rank(plain));
        generate.candidate = plain.rows.front().best.number;
    }
    generate.what = request.what;
    generate.edits = request.edits;
    generate.textOf = [&target](const std::vector<std::int32_t>& ids) { return target.decode(ids); };
    generate.maybeCorpus = text.maybeCorpus;
    generate.tokenText = [&target](std::int32_t id) { return text::shownToken(target, id); };
    auto labels = labelsOf(text, request, sampler, origin);
    if (!generate.sources.front().empty())
        labels["source_tokens"] = tokensJson(*text.tokenizers.source, generate.sources.front());
    recorded.writer = writerFor(request, target, std::move(labels));
    const bool labelled = generate.references.size() == 1 && !text::isDocuments(sampler);
    LabelledSink sink(*recorded.writer, labelled ? generate.references.front() : std::vector<std::int32_t>());
    KURVE_TRY(Generation generation, text.model.generate(generate, sampler, &sink));
    recorded.networkCalls += generation.networkCalls;
    if ((recorded.cancelled = generation.cancelled)) return recorded;
    recorded.meta["candidate"] = std::to_string(generation.rows.front().best.number);
    if (reranker.decides()) KURVE_CHECKED(rank(generation));
    if (reranker.maybeScorer != nullptr) recorded.meta["scorer"] = reranker.maybeScorer->name();
    recorded.decoded = toTexts(generation.rows.front(), target);
    recorded.meta["output"] = recorded.decoded.output;
    recorded.meta["edits"] = editNames(text.model);
    if (!recorded.decoded.candidates.empty())
        recorded.meta["candidates"] = trace::candidatesJson(recorded.decoded.candidates)
                                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return recorded;
}

}  // namespace kurve::train
