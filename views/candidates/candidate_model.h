#pragma once

#include <QStandardItemModel>
#include <memory>
#include <optional>
#include <vector>

#include "core/trace/candidates.h"

namespace kurve::views {

/// The candidates of a trace (A), compared with those of another one (B): a row per text. Those of A in its
/// order, then those that only B has.
class CandidateModel : public QStandardItemModel {
    Q_OBJECT
public:
    enum Column : unsigned char { RankA, ScoreA, RankB, ScoreB, Tokens, Bleu, Chrf, Text };
    /// HtmlRole: the text with words marked that are not in the selected text (tinted) or not in the
    /// reference (underlined).
    enum Role { HtmlRole = Qt::UserRole + 1 };
    explicit CandidateModel(QObject* parent = nullptr);

    /// Null: none; a trace without candidates has its output only. Columns of B and of scores against the
    /// reference exist only with B and with a reference.
    void setTraces(std::shared_ptr<const trace::Trace> a, std::shared_ptr<const trace::Trace> b);
    /// Index of a column among the shown ones; -1 if hidden.
    [[nodiscard]] int shownAt(Column column) const;
    [[nodiscard]] const QString& reference() const { return reference_; }
    /// The beam index of a row's text: in A, or in B where only B has it.
    struct BeamIndex {
        bool ofB = false;
        qint64 number = 0;
    };
    [[nodiscard]] std::optional<BeamIndex> beamIndex(int row) const;

private:
    struct Side {
        trace::TextCandidate candidate;
        int rank = 0;           ///< by score, from 1; equal scores share one
        bool selected = false;  ///< the text of the trace
    };
    struct Row {
        QString text;
        std::optional<Side> a, b;
        [[nodiscard]] const Side& first() const { return a ? *a : *b; }
    };
    static std::vector<Side> sidesOf(const trace::Trace* maybeTrace);
    [[nodiscard]] QVariant shown(const Row& row, Column column) const;
    void markTexts();  ///< in the colours of the theme
    [[nodiscard]] static QString tipOf(const Row& row);
    [[nodiscard]] QString html(const Row& row) const;
    [[nodiscard]] QStandardItem* itemOf(const Row& row, Column column) const;
    [[nodiscard]] QStandardItem* headOf(Column column) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
    QString selected_, reference_;
};

}  // namespace kurve::views
