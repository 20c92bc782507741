#include "views/common/shell/panel.h"

#include "views/common/form/controls.h"

namespace kurve::views {

Panel::Panel(const QString& id, const QString& title, const StudioContext& context, QWidget* parent)
    : QWidget(parent), id_(id), title_(title), context_(context) {
    describe(this, id, title);
    setFocusPolicy(Qt::ClickFocus);  // a click anywhere in it makes it the view that commands are about
}

}  // namespace kurve::views
