#pragma once

#include <memory>
#include <utility>

#include "core/trace/trace.h"
#include "views/common/shell/panel.h"

class QAbstractItemDelegate;
class QLabel;
class QTableView;

namespace kurve::views {

class CandidateModel;
class ContentOrEmpty;
class EmptyState;

/// The candidates of the open trace with the selector's scores, compared with those of the window's B.
class CandidatesPanel : public Panel {
    Q_OBJECT
public:
    explicit CandidatesPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] CandidateModel* model() const { return model_; }

private:
    void addCommands();
    void refresh();
    void showHead();
    [[nodiscard]] QString originOf(const trace::Trace& trace, const QString& name) const;
    void denoise(bool beside);

    CandidateModel* model_;
    QTableView* table_;
    QAbstractItemDelegate* marked_;  ///< of the texts
    QLabel* head_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
    std::pair<std::shared_ptr<const trace::Trace>, std::shared_ptr<const trace::Trace>> shown_;  ///< A and B
};

}  // namespace kurve::views
