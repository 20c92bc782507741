#pragma once

#include <memory>

#include "views/common/table/column_model.h"
#include "views/corpus/corpus_loader.h"

namespace kurve::views {

/// The pairs of a split: number, source, target and their lengths in words.
struct PairTable {
    enum Column : int { Number, Source, Target, SourceWords, TargetWords };
    static constexpr int kMaxRows = 200000;  ///< filtered without a noticeable delay
    static void fill(ColumnModel& model, const std::shared_ptr<const BrowsedCorpus>& corpus);
};

/// The vocabulary of a tokenizer: id, token (a blank is drawn as ▁) and its count in the training text.
struct VocabularyTable {
    enum Column : int { Id, Token, Count, Role };
    static void fill(ColumnModel& model, const std::shared_ptr<const BrowsedVocabulary>& vocabulary);
};

}  // namespace kurve::views
