#include "views/corpus/corpus_tables.h"

#include <QFont>
#include <algorithm>
#include <utility>

#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

using Column = ColumnModel::Column;

QString roleOf(const VocabularyEntry& entry, const text::SpecialIds& special) {
    const std::pair<std::int32_t, const char*> roles[] = {{special.bos, "beginning of sentence"},
                                                          {special.eos, "end of sentence"},
                                                          {special.pad, "padding"},
                                                          {special.unk, "unknown"},
                                                          {special.mask, "mask"}};
    for (const auto& [id, role] : roles)
        if (entry.id == id) return QString::fromLatin1(role);
    return entry.token.startsWith(QChar(0x2581)) ? QStringLiteral("word start") : QString();
}

Column number(const QString& title, std::function<QVariant(std::size_t row)> value) {
    return {title,
            [value = std::move(value)](int row, int role) {
                return role == Qt::DisplayRole ? value(static_cast<std::size_t>(row)) : QVariant();
            },
            /*isNumber=*/true};
}

/// A side of the pairs, in full as the tool tip.
Column side(const QString& title, const std::shared_ptr<const BrowsedCorpus>& corpus,
            std::string text::Pair::*text) {
    return {title, [corpus, text](int row, int role) -> QVariant {
                const QString shown = qt(corpus->corpus.pairs[static_cast<std::size_t>(row)].*text);
                if (role == Qt::ToolTipRole) return plainTip(shown);
                return role == Qt::DisplayRole ? QVariant(shown) : QVariant();
            }};
}

}  // namespace

void PairTable::fill(ColumnModel& model, const std::shared_ptr<const BrowsedCorpus>& corpus) {
    const bool texts = corpus->texts;
    model.setTable(
        static_cast<int>(std::min<std::size_t>(corpus->corpus.pairs.size(), kMaxRows)),
        {number(QStringLiteral("#"), [](std::size_t row) { return static_cast<int>(row) + 1; }),
         side(QStringLiteral("Source"), corpus, &text::Pair::source),
         side(texts ? QStringLiteral("Text") : QStringLiteral("Target"), corpus, &text::Pair::target),
         number(QStringLiteral("In"),
                [corpus](std::size_t row) {
                    return corpus->texts ? QVariant() : QVariant(corpus->sourceWords[row]);
                }),
         number(texts ? QStringLiteral("Words") : QStringLiteral("Out"),
                [corpus](std::size_t row) { return corpus->targetWords[row]; })});
}

void VocabularyTable::fill(ColumnModel& model, const std::shared_ptr<const BrowsedVocabulary>& vocabulary) {
    const auto token = [vocabulary](int row, int role) -> QVariant {
        if (role == Qt::FontRole) return monoFont();
        return role == Qt::DisplayRole ? QVariant(vocabulary->entries[static_cast<std::size_t>(row)].token)
                                       : QVariant();
    };
    const auto named = [vocabulary](int row, int role) -> QVariant {
        if (role == Qt::ForegroundRole) return theme().muted;
        if (role != Qt::DisplayRole) return {};
        return roleOf(vocabulary->entries[static_cast<std::size_t>(row)], vocabulary->special);
    };
    model.setTable(
        static_cast<int>(vocabulary->entries.size()),
        {number(QStringLiteral("Id"), [vocabulary](std::size_t row) { return vocabulary->entries[row].id; }),
         {QStringLiteral("Token"), token},
         number(QStringLiteral("Count"),
                [vocabulary](std::size_t row) { return vocabulary->entries[row].count; }),
         {QStringLiteral("Role"), named}});
}

}  // namespace kurve::views
