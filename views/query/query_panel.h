#pragma once

#include "core/store/query.h"
#include "views/common/data/background.h"
#include "views/common/shell/panel.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;

namespace kurve::views {

class ColumnModel;

/// Read-only SQL on the project's index or on a run, behind the same guard as `kurve query`; on a worker,
/// with Cancel.
class QueryPanel : public Panel {
    Q_OBJECT
public:
    explicit QueryPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;
    void setSql(const QString& sql);
    void runQuery();
    void cancel();

private:
    void fillDatabases();
    void fillExamples();
    void show(const Result<store::SqlTable>& answer, double seconds);
    void fitColumns();
    [[nodiscard]] std::filesystem::path database() const;

    QComboBox *database_, *examples_;
    QPlainTextEdit* sql_;
    QPushButton *run_, *cancel_;
    QLabel* note_;
    QTableView* table_;
    ColumnModel* model_;
    Background work_;
    bool working_ = false;
};

}  // namespace kurve::views
