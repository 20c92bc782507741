#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/text/corpus.h"
#include "core/text/special_ids.h"

namespace kurve::text {

/// Token ids of examples, packed: views of what `owner` keeps, which is a memory-mapped file or vectors.
struct PackedIds {
    std::span<const std::uint16_t> narrow;  ///< the ids, where no id needs more
    std::span<const std::int32_t> wide;     ///< the ids otherwise
    std::span<const std::uint64_t> offset;  ///< where each sequence (a side, a sentence) begins in the ids
    /// [n + 1] where each document begins in the sequences; empty: sequence 2 i is the source of example i,
    /// 2 i + 1 its target.
    std::span<const std::uint64_t> documents;
    std::shared_ptr<const void> owner;
};

/// Reads the texts of examples [first, first + count).
using TextReader = std::function<Result<std::vector<Pair>>(std::size_t first, std::size_t count)>;

/// The examples of one split. Every source and target has BOS and EOS (Difformer's convention: they count as
/// positions and are predicted like tokens). A text without a source is a pair whose source has no tokens,
/// not even those. A document is a text in sentences, each with BOS and EOS. Callable from any thread.
class Split {
public:
    Split() = default;
    Split(PackedIds ids, TextReader texts) : ids_(std::move(ids)), texts_(std::move(texts)) {}
    /// ids: source 0, target 0, source 1, target 1, … with the ids of a tokenizer that is trained here;
    /// offset: [2 n + 1] where each side begins in them.
    static Split inMemory(std::vector<std::int32_t> ids, std::vector<std::uint64_t> offset,
                          std::vector<Pair> texts = {});

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool hasDocuments() const { return !ids_.documents.empty(); }
    [[nodiscard]] std::uint64_t tokens() const { return ids_.offset.empty() ? 0 : ids_.offset.back(); }
    [[nodiscard]] std::vector<std::int32_t> source(std::size_t example) const;
    /// Of a document all its sentences, one behind the other.
    [[nodiscard]] std::vector<std::int32_t> target(std::size_t example) const;
    [[nodiscard]] std::size_t sourceLength(std::size_t example) const;
    [[nodiscard]] std::size_t targetLength(std::size_t example) const;
    [[nodiscard]] std::size_t sentences(std::size_t example) const;  ///< 1 where there are no documents
    /// Those of a document up to promptEnd, that one counted: given, not predicted. 0 where there is none.
    [[nodiscard]] std::size_t promptSentences(std::size_t example) const;
    [[nodiscard]] std::vector<std::int32_t> sentence(std::size_t example, std::size_t number) const;
    [[nodiscard]] std::size_t sentenceLength(std::size_t example, std::size_t number) const;

    /// The texts as they stand in the corpus, from its file; of blocks of running text, what the ids spell.
    /// Of all from `first` on where there are fewer than `count`. Errors: data.changed (the file is not the
    /// one that was prepared), io.*.
    [[nodiscard]] Result<std::vector<Pair>> texts(std::size_t first, std::size_t count) const;
    [[nodiscard]] Result<Pair> text(std::size_t example) const;

    std::int64_t leftOut = 0;  ///< longer than data.max_length tokens (counted, reported)
    std::int64_t withoutAnswer =
        0;                      ///< documents, left out: nothing behind data.prompt_end, or not cut there
    std::int64_t leftOver = 0;  ///< tokens of running text behind the last whole block
    CorpusReport report;        ///< what reading the file counted
    SpecialIds special = {};    ///< of both sides
    std::vector<std::int32_t> promptEnd = {};  ///< data.prompt_end with BOS and EOS; empty: no prompts

private:
    struct Sequences {
        std::size_t begin, end;
    };
    [[nodiscard]] Sequences targetOf(std::size_t example) const;
    [[nodiscard]] std::size_t length(Sequences sequences) const;
    [[nodiscard]] std::vector<std::int32_t> idsOf(Sequences sequences) const;

    PackedIds ids_;
    TextReader texts_;
};

}  // namespace kurve::text
