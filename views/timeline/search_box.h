#pragma once

#include <QWidget>
#include <memory>

#include "core/inspect/trace_search.h"
#include "views/common/shell/panel.h"

class QLabel;
class QLineEdit;

namespace kurve::views {

/// Searches the trace: Enter goes to the next match, Shift+Enter to the previous one, Esc back to the view.
/// Registers "timeline.find", ".find_next" and ".find_previous" with `scope`.
class SearchBox : public QWidget {
    Q_OBJECT
public:
    SearchBox(const StudioContext& context, QWidget* scope);
    void setModel(std::shared_ptr<const inspect::TimelineModel> model);
    /// Goes to the match after (before) the playhead, cyclically.
    void goToMatch(bool forward);

    [[nodiscard]] const std::vector<inspect::TraceCell>& matches() const { return matches_; }

Q_SIGNALS:
    void dismissed();  ///< Esc
    void matchesChanged();

private:
    void addKeys();
    void search();

    StudioContext context_;
    std::shared_ptr<const inspect::TimelineModel> model_;
    std::vector<inspect::TraceCell> matches_;
    QLineEdit* text_;
    QLabel* count_;
};

}  // namespace kurve::views
