// Texts to packed ids: pairs, lines, blocks of running text.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/text/detail/preparation.h"
#include "core/text/detail/shard.h"
#include "core/text/detail/split_files.h"
#include "core/text/distilled.h"

namespace kurve::text::detail {
namespace {

using Ids = std::vector<std::int32_t>;

std::int32_t vocabularyOf(const Tokenizers& tokenizers) {
    return std::max(tokenizers.source->vocabularySize(), tokenizers.target->vocabularySize());
}

std::string packingOf(const Preparation& work, const CorpusIndex& corpus) {
    return packingHash(work.config, corpus.sha256(),
                       {work.dataset.source->hash(), work.dataset.target->hash()});
}

/// Reads a corpus from its beginning, and says how far it is.
template <class Take>
Status forEachExample(const Preparation& work, const CorpusIndex& corpus, const std::string& name,
                      const Take& take) {
    KURVE_TRY(CorpusReader reader, CorpusReader::open(corpus.files()));
    Pair example;
    for (std::size_t i = 0;; ++i) {
        KURVE_TRY(const bool more, reader.next(example));
        if (!more) return {};
        if (i % 1024 == 0) work.report(0.3 + 0.7 * reader.fraction(), "tokenising " + name);
        KURVE_CHECKED(take(i, example));
    }
}

/// The ids of an example's target.
using TargetIds = std::function<Result<Ids>(const Pair&)>;

Status packExamples(const Preparation& work, const CorpusIndex& corpus, const std::string& name,
                    const TargetIds& targetIds, CacheWriter& out) {
    ShardWriter shard(out, vocabularyOf(work.dataset));
    return forEachExample(work, corpus, name, [&](std::size_t i, const Pair& example) -> Status {
        const Ids source = work.dataset.texts ? Ids() : withEnds(*work.dataset.source, example.source);
        KURVE_TRY(const Ids target, targetIds(example));
        if (isTooLong(work, source) || isTooLong(work, target)) return {};
        shard.addSequence(source);
        shard.addSequence(target);
        shard.endExample(i);
        return {};
    });
}

/// With data.end_sentence behind them.
std::vector<std::string> documentSentences(const RunConfig& config, const std::string& document) {
    std::vector<std::string> sentences = split(document, '\n');
    if (const std::string& end = config.text("data.end_sentence"); !end.empty()) sentences.push_back(end);
    return sentences;
}

/// Whether it fits whole, and something stands behind its prompt.
bool hasAnswer(const RunConfig& config, const std::vector<std::string>& sentences) {
    const auto end = std::find(sentences.begin(), sentences.end(), config.text("data.prompt_end"));
    return std::distance(end, sentences.end()) > (config.text("data.end_sentence").empty() ? 1 : 2) &&
           sentences.size() <= static_cast<std::size_t>(config.integer("data.max_sentences"));
}

/// Documents of at most data.max_sentences; a longer one is several examples.
Status packDocuments(const Preparation& work, const CorpusIndex& corpus, const std::string& name,
                     CacheWriter& out) {
    ShardWriter shard(out, vocabularyOf(work.dataset), /*documents=*/true);
    const auto most = static_cast<std::size_t>(work.config.integer("data.max_sentences"));
    std::int64_t leftOut = 0, withoutAnswer = 0;
    KURVE_CHECKED(forEachExample(work, corpus, name, [&](std::size_t i, const Pair& example) -> Status {
        const std::vector<std::string> texts = documentSentences(work.config, example.target);
        if (!work.dataset.promptEnd.empty() && !hasAnswer(work.config, texts))
            return ++withoutAnswer, Status();
        std::vector<Ids> sentences;
        for (const std::string& sentence : texts)
            sentences.push_back(withEnds(*work.dataset.target, sentence));
        if (std::any_of(sentences.begin(), sentences.end(), [&](const Ids& s) { return isTooLong(work, s); }))
            return ++leftOut, Status();
        for (std::size_t s = 0; s < sentences.size(); ++s) {
            shard.addSequence(sentences[s]);
            if ((s + 1) % most == 0 || s + 1 == sentences.size()) shard.endExample(i);
        }
        return {};
    }));
    out.facts = {{"left_out", leftOut}, {"without_answer", withoutAnswer}};
    return {};
}

/// Running text in blocks: BOS, tokens with EOS behind every line, EOS; a block's example is the line in
/// which it begins. Source: MDLM's code, dataloader.py, _group_texts.
Status packBlocks(const Preparation& work, const CorpusIndex& corpus, const std::string& name,
                  CacheWriter& out) {
    ShardWriter shard(out, vocabularyOf(work.dataset));
    const auto block = static_cast<std::size_t>(work.config.integer("data.block"));
    std::size_t first = 0;  // line of the block that is being filled
    const SpecialIds& special = work.dataset.target->special();
    Ids ids{special.bos};
    const auto add = [&](std::int32_t id, std::size_t line) {
        if (ids.size() == 1) first = line;
        ids.push_back(id);
        if (ids.size() + 1 < block) return;
        ids.push_back(special.eos);
        shard.addSequence({});  // no source
        shard.addSequence(ids);
        shard.endExample(first);
        ids.assign({special.bos});
    };
    KURVE_CHECKED(forEachExample(work, corpus, name, [&](std::size_t i, const Pair& example) -> Status {
        for (const std::int32_t id : work.dataset.target->encode(example.target)) add(id, i);
        add(special.eos, i);
        return {};
    }));
    out.facts = {{"left_over", ids.size() - 1}};
    return {};
}

Result<std::shared_ptr<const CacheFolder>> openPacked(Preparation& work, const CorpusIndex& corpus,
                                                      const CacheFolder::Make& make) {
    // The same bytes are lines as *.txt, columns as *.tsv.
    const std::string key =
        "ids 3\n" + packingOf(work, corpus) + "\n" + corpus.files().source.extension().string();
    KURVE_TRY(CacheFolder folder, CacheFolder::openOrMake(work.cache(), sha256(key).substr(0, 16) + ".ids",
                                                          key, make, work.dataset.warnings));
    return std::make_shared<const CacheFolder>(std::move(folder));
}

TextReader textsOf(const Index& corpus, std::span<const std::uint32_t> examples) {
    return [corpus, examples](std::size_t first, std::size_t count) {
        return corpus->read(examples.subspan(first, count));
    };
}

/// The sentences of each example, which may be a part of a document.
TextReader documentsOf(const Index& corpus, const Shard& shard, const RunConfig& config) {
    const auto most = static_cast<std::size_t>(config.integer("data.max_sentences"));
    return [corpus, shard, most, config](std::size_t first, std::size_t count) -> Result<std::vector<Pair>> {
        KURVE_TRY(std::vector<Pair> texts, corpus->read(shard.examples.subspan(first, count)));
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t part = 0;
            while (part < first + i && shard.examples[first + i - part - 1] == shard.examples[first + i])
                ++part;
            const std::vector<std::string> all = documentSentences(config, texts[i].target);
            const std::span sentences = std::span(all).subspan(part * most);
            texts[i].target = join(sentences.first(std::min(most, sentences.size())), "\n");
        }
        return texts;
    };
}

TextReader spelledBlocks(const PackedIds& ids, std::shared_ptr<const Tokenizer> tokenizer) {
    return [split = Split(ids, {}), tokenizer = std::move(tokenizer)](
               std::size_t first, std::size_t count) -> Result<std::vector<Pair>> {
        std::vector<Pair> texts;
        for (std::size_t i = first; i < first + count; ++i)
            texts.push_back({"", tokenizer->decode(split.target(i))});
        return texts;
    };
}

void addDocumentFacts(const Preparation& work, const CacheFolder& folder, Split& split) {
    folder.facts().at("left_out").get_to(split.leftOut);
    folder.facts().at("without_answer").get_to(split.withoutAnswer);
    if (const std::string& end = work.dataset.promptEnd; !end.empty())
        split.promptEnd = withEnds(*work.dataset.target, end);
}

/// By what most of them lack.
Error noDocument(const Preparation& work, const Split& split, const std::string& name) {
    const std::string file = work.path("data." + name).string();
    if (split.withoutAnswer > split.leftOut)
        return requestError("data.empty",
                            fmt::format("none of its {} has a line “{}” with an answer "
                                        "behind it, within data.max_sentences",
                                        counted(split.withoutAnswer, "document"), work.dataset.promptEnd))
            .in(file)
            .at("data.prompt_end")
            .fix("write that line behind each prompt, or empty data.prompt_end");
    return nothingFits(work, static_cast<std::size_t>(split.leftOut), name);
}

}  // namespace

std::vector<std::int32_t> withEnds(const Tokenizer& tokenizer, const std::string& text) {
    Ids ids = {tokenizer.special().bos};
    const auto inner = tokenizer.encode(text);
    ids.insert(ids.end(), inner.begin(), inner.end());
    ids.push_back(tokenizer.special().eos);
    return ids;
}

bool isTooLong(const Preparation& work, const Ids& ids) {
    return ids.size() > static_cast<std::size_t>(work.config.integer("data.max_length"));
}

const char* exampleOf(const Dataset& data) {
    return data.documents ? "document" : data.texts ? "text" : "pair";
}

Error nothingFits(const Preparation& work, std::size_t examples, const std::string& name) {
    return requestError("data.empty", fmt::format("none of {} is within data.max_length",
                                                  counted(examples, exampleOf(work.dataset))))
        .in(work.path("data." + name).string())
        .at("data.max_length")
        .fix("raise data.max_length");
}

Result<Split> packSplit(Preparation& work, const Index& corpus, const std::string& name) {
    const bool blocks = isRunning(work.config);
    const Tokenizer& tokenizer = *work.dataset.target;
    const TargetIds targetIds = [&](const Pair& example) { return withEnds(tokenizer, example.target); };
    KURVE_TRY(const auto folder, openPacked(work, *corpus, [&](CacheWriter& out) {
                  return work.dataset.documents ? packDocuments(work, *corpus, name, out)
                         : blocks               ? packBlocks(work, *corpus, name, out)
                                                : packExamples(work, *corpus, name, targetIds, out);
              }));
    const Shard shard = openShard(folder, vocabularyOf(work.dataset));
    Split split(shard.ids, blocks                   ? spelledBlocks(shard.ids, work.dataset.target)
                           : work.dataset.documents ? documentsOf(corpus, shard, work.config)
                                                    : textsOf(corpus, shard.examples));
    split.report = corpus->report();
    split.special = work.dataset.target->special();
    if (blocks)
        folder->facts().at("left_over").get_to(split.leftOver);
    else if (work.dataset.documents)
        addDocumentFacts(work, *folder, split);
    else
        split.leftOut = static_cast<std::int64_t>(corpus->size() - split.size());
    if (split.size() > 0) return split;
    if (work.dataset.documents) return noDocument(work, split, name);
    if (!blocks) return nothingFits(work, corpus->size(), name);
    return requestError("data.empty", fmt::format("its {} tokens do not fill a block of {}", split.leftOver,
                                                  work.config.integer("data.block")))
        .in(work.path("data." + name).string())
        .at("data.block")
        .fix("lower data.block or give it more text");
}

Result<Split> packDistilled(Preparation& work, const Index& corpus) {
    auto opened = DistilledTargets::open(corpus->files().source, corpus->notices(), *work.dataset.target);
    if (!opened) return opened.error();
    const auto targets = std::make_shared<const DistilledTargets>(std::move(*opened));
    const TargetIds targetIds = [&](const Pair& example) -> Result<Ids> {
        KURVE_TRY(Ids ids, targets->ids(example));
        ids.insert(ids.begin(), work.dataset.target->special().bos);
        ids.push_back(work.dataset.target->special().eos);
        return ids;
    };
    KURVE_TRY(const auto folder, openPacked(work, *corpus, [&](CacheWriter& out) {
                  return packExamples(work, *corpus, "train", targetIds, out);
              }));
    const Shard shard = openShard(folder, vocabularyOf(work.dataset));
    const TextReader spelled = [read = textsOf(corpus, shard.examples), targets,
                                tokenizer = work.dataset.target](
                                   std::size_t first, std::size_t count) -> Result<std::vector<Pair>> {
        KURVE_TRY(std::vector<Pair> pairs, read(first, count));
        for (Pair& pair : pairs) {
            KURVE_TRY(const Ids ids, targets->ids(pair));
            pair.target = tokenizer->decode(ids);
        }
        return pairs;
    };
    Split split(shard.ids, spelled);
    split.report = corpus->report();
    split.special = work.dataset.target->special();
    split.leftOut = static_cast<std::int64_t>(corpus->size() - split.size());
    if (split.size() == 0) return nothingFits(work, corpus->size(), "train");
    return split;
}

}  // namespace kurve::text::detail
