#pragma once

#include <QObject>

#include "app/studio/layout_keeper.h"
#include "app/studio/named_layouts.h"
#include "app/studio/overlay.h"

namespace kurve::studio {

/// The commands for named layouts: save, apply, rename, delete, each asked for in the palette. GUI thread.
class LayoutActions : public QObject {
    Q_OBJECT
public:
    /// `keeper` and `palette` outlive this.
    LayoutActions(LayoutKeeper& keeper, Palette& palette, const store::Project& project);
    void addCommands(views::CommandRegistry& commands);

    void save(const QString& name);
    void apply(const NamedLayout& layout);

Q_SIGNALS:
    void said(const QString& text);

private:
    void askName();
    /// One of the layouts, for `then`; says so where there is none.
    void choose(const QString& prompt, const std::function<void(const NamedLayout&)>& then);
    void askNewName(const NamedLayout& layout);
    void askDeletion(const NamedLayout& layout);
    void tell(const Status& status, const QString& done);

    LayoutKeeper& keeper_;
    Palette& palette_;
    NamedLayouts layouts_;
};

}  // namespace kurve::studio
