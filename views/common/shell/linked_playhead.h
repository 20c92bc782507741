#pragma once

#include "views/common/shell/playhead.h"

class QToolButton;

namespace kurve::views {

class Panel;
struct StudioContext;

/// The playhead of one view: the window's while it is linked, else with a denoising step of its own. The
/// number of steps and the training step are always the window's. It replaces the window's playhead in the
/// view's context. GUI thread.
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

/// A context whose playhead is a new LinkedPlayhead: for the constructor of a view, which takes ownership
/// by linkButton().
[[nodiscard]] StudioContext withOwnPlayhead(StudioContext context);
/// A button that links / unlinks a view created with withOwnPlayhead(); while unlinked it shows the view's
/// own step. Registers the command "<view>.unlink" with the key U.
[[nodiscard]] QToolButton* linkButton(Panel& view, const StudioContext& context);

}  // namespace kurve::views
