#pragma once

#include "views/common/playhead.h"

class QToolButton;

namespace kurve::views {

class Panel;
struct StudioContext;

/// The playhead as one view sees it: the window's while it is linked, else with a denoising step of its own.
/// How many steps there are, and the training step, are always the window's. It stands in the view's context
/// in the window's place, so that all parts of the view follow it. GUI thread.
class LinkedPlayhead : public Playhead {
    Q_OBJECT
public:
    explicit LinkedPlayhead(Playhead& window, QObject* parent = nullptr);
    [[nodiscard]] bool linked() const { return linked_; }
    [[nodiscard]] bool carried() const override { return window_.carried(); }

public Q_SLOTS:
    /// Linked again it goes to the window's step.
    void setLinked(bool on);

Q_SIGNALS:
    void linkedChanged(bool on);

private:
    Playhead& window_;
    bool linked_ = true;
};

/// A context whose playhead is a new LinkedPlayhead: for the constructor of a view, which takes it into its
/// care by linkButton().
[[nodiscard]] StudioContext withOwnPlayhead(StudioContext context);
/// A chain that unlinks a view made with withOwnPlayhead(), and links it again; while it is not linked the
/// button names the view's own step. Registers the command "<view>.unlink" with the key U.
[[nodiscard]] QToolButton* linkButton(Panel& view, const StudioContext& context);

}  // namespace kurve::views
