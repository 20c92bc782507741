#pragma once

#include <QWidget>
#include <memory>

#include "views/common/panel.h"
#include "views/timeline/trace_search.h"

class QLabel;
class QLineEdit;

namespace kurve::views {

/// A question to the trace and the way through its places: Enter the next, Shift+Enter the one before, Esc
/// back to the view. Registers "timeline.find", ".find_next" and ".find_previous" with `scope`.
class SearchBox : public QWidget {
    Q_OBJECT
public:
    SearchBox(const StudioContext& context, QWidget* scope);
    void setModel(std::shared_ptr<const TimelineModel> model);
    /// Goes to the place after (before) the playhead, round the ends.
    void go(bool forward);

    [[nodiscard]] const std::vector<Edit>& places() const { return places_; }

Q_SIGNALS:
    void left();  ///< Esc
    void placesChanged();

private:
    void addKeys();
    void ask();
    void find();

    StudioContext context_;
    std::shared_ptr<const TimelineModel> model_;
    std::vector<Edit> places_;
    QLineEdit* text_;
    QLabel* count_;
};

}  // namespace kurve::views
