#pragma once

#include <QWidget>
#include <nlohmann/json.hpp>

#include "core/wire/fields.h"

class QLabel;
class QTableWidget;

namespace kurve::views {

class LengthChart;

/// What a check of text found, before anything is written: numbers of each split, lengths, the first pairs,
/// odd lines and what the splits share.
class ImportPreview : public QWidget {
    Q_OBJECT
public:
    explicit ImportPreview(QWidget* parent = nullptr);
    /// `found`: what `kurve data import --check --json` prints.
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
