#pragma once

#include <QWidget>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"

class QLabel;
class QTableWidget;

namespace kurve::views {

class LengthChart;

/// Results of a check before the import: statistics of each split, lengths, the first pairs, excluded lines
/// and shared sentences.
class ImportPreview : public QWidget {
    Q_OBJECT
public:
    explicit ImportPreview(QWidget* parent = nullptr);
    /// `found`: the output of `kurve data import --check --json`.
    void show(const nlohmann::json& found);
    void clear();

private:
    void fillNumbers(const nlohmann::json& found);
    void fillPairs(const wire::Fields& splits);

    QTableWidget *numbers_, *pairs_;
    QLabel *leaks_, *odd_, *lengthTitle_;
    LengthChart* lengths_;
};

}  // namespace kurve::views
