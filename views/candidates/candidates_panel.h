#pragma once

#include <memory>
#include <utility>

#include "core/trace/trace.h"
#include "views/common/panel.h"

class QAbstractItemDelegate;
class QLabel;
class QTableView;

namespace kurve::views {

class CandidateModel;
class ContentOrEmpty;
class EmptyState;

/// The texts that the open recording was chosen among, with the selector's scores; beside them those of the
/// window's B, so that two selectors can be compared on one sentence.
class CandidatesPanel : public Panel {
    Q_OBJECT
public:
    explicit CandidatesPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] CandidateModel* model() const { return model_; }

Q_SIGNALS:
    /// How this one of the recording's beam was denoised is wanted.
    void recordingWanted(std::shared_ptr<const kurve::trace::Trace> of, qint64 number);
    void recordedTraceWanted();  ///< nothing is open

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
