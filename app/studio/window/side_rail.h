#pragma once

#include <QFrame>
#include <functional>

#include "app/studio/window/window_frame.h"

class QAbstractItemView;
class QHBoxLayout;
class QListView;

namespace kurve::studio {

/// What stands in place of a folded side of the window: a button that opens it and, for the run list, the
/// runs with their swatches. GUI thread.
class SideRail : public QFrame {
    Q_OBJECT
public:
    /// `maybeRuns` outlives it; null: no list.
    SideRail(const QString& title, const QString& keys, QAbstractItemView* maybeRuns);

Q_SIGNALS:
    void openRequested();

private:
    [[nodiscard]] QListView* buildList(QAbstractItemView& runs);
};

/// The frame between the rails of its sides, which are there while their side is folded.
[[nodiscard]] QHBoxLayout* frameWithRails(WindowFrame& frame, QAbstractItemView& runs,
                                          const std::function<void(WindowFrame::Side)>& toggle);

}  // namespace kurve::studio
