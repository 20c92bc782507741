#pragma once

#include <QObject>

#include "app/studio/window/layout_store.h"
#include "app/studio/window/named_layouts.h"
#include "app/studio/window/overlay.h"

namespace kurve::studio {

/// The commands for named layouts: save, apply, rename, delete, by the palette. GUI thread.
class LayoutActions : public QObject {
    Q_OBJECT
public:
    /// `store` and `palette` outlive this.
    LayoutActions(LayoutStore& store, Palette& palette, const store::Project& project);
    void addCommands(views::CommandRegistry& commands);

    void save(const QString& name);
    void apply(const NamedLayout& layout);

Q_SIGNALS:
    void said(const QString& text);

private:
    void askName();
    /// Chooses a layout for `then`; a message where there is none.
    void choose(const QString& prompt, const std::function<void(const NamedLayout&)>& then);
    void askNewName(const NamedLayout& layout);
    void askDeletion(const NamedLayout& layout);
    void tell(const Status& status, const QString& done);

    LayoutStore& store_;
    Palette& palette_;
    NamedLayouts layouts_;
};

}  // namespace kurve::studio
