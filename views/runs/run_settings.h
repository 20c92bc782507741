#pragma once

#include <QWidget>

#include "core/config/run_config.h"

class QLineEdit;
class QTreeWidget;

namespace kurve::views {

/// The settings that a run was trained with: changed ones first, the defaults in grey below, with a search
/// field.
class RunSettings : public QWidget {
    Q_OBJECT
public:
    explicit RunSettings(QWidget* parent = nullptr);
    void setConfig(const RunConfig& config);
    /// Without the family's schema (another engine version wrote the run) the text itself is shown.
    void setText(const QString& toml);
    void clear();

private:
    void addRow(const QString& key, const QString& value, const QString& tip, bool changed);
    void applySearch();

    QLineEdit* search_;
    QTreeWidget* rows_;
};

}  // namespace kurve::views
