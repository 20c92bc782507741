#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "core/trace/candidates.h"

namespace kurve::views {

/// What a sampler chose among, and beside it what another one (B) made of the same: a row per text. Those of
/// A stand in its order, then those that only B has.
class CandidateModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column : unsigned char { RankA, ScoreA, RankB, ScoreB, Pieces, Bleu, Chrf, Text };
    /// HtmlRole: the text with the words marked that the chosen one (tinted ground) or the reference
    /// (underlined) does not have.
    enum Role { HtmlRole = Qt::UserRole + 1 };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: not there; one without candidates has its output alone. Columns for B and for scores against the
    /// reference exist only where they have something to say.
    void setTraces(std::shared_ptr<const trace::Trace> a, std::shared_ptr<const trace::Trace> b);
    /// Index of a column among those that are shown; -1 if it is not.
    [[nodiscard]] int shownAt(Column column) const;
    [[nodiscard]] const QString& reference() const { return reference_; }
    /// The number in its beam of a row's text: of A, or of B where only that has it.
    struct Place {
        bool ofB = false;
        qint64 number = 0;
    };
    [[nodiscard]] std::optional<Place> place(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Side {
        trace::TextCandidate candidate;
        int rank = 0;         ///< by score, from 1; equal scores share one
        bool chosen = false;  ///< the one that the recording shows
    };
    struct Row {
        QString text;
        std::optional<Side> a, b;
        double bleu = 0, chrf = 0;
        [[nodiscard]] const Side& first() const { return a ? *a : *b; }
    };
    static std::vector<Side> sidesOf(const trace::Trace* maybeTrace);
    [[nodiscard]] QVariant shown(const Row& row, Column column) const;
    [[nodiscard]] QString tip(const Row& row) const;
    [[nodiscard]] QString html(const Row& row) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
    QString chosen_, reference_;
};

}  // namespace kurve::views
