#include "app/studio/layout_actions.h"

namespace kurve::studio {

using views::CommandRegistry;

LayoutActions::LayoutActions(LayoutKeeper& keeper, Palette& palette, const store::Project& project)
    : keeper_(keeper), palette_(palette), layouts_(project.folder() / "layouts") {}

void LayoutActions::addCommands(CommandRegistry& commands) {
    const QString menu = tr("Window");
    commands.add({"layout.save", tr("Save layout…"), menu, {}, tr("The panels as they are, under a name")},
                 [this] { askName(); });
    commands.add(
        {"layout.apply", tr("Apply layout…"), menu, {}, tr("One of those saved in this project")},
        [this] { choose(tr("Layout to apply"), [this](const NamedLayout& layout) { apply(layout); }); });
    commands.add(
        {"layout.rename", tr("Rename layout…"), menu, {}, tr("Gives a saved layout another name")}, [this] {
            choose(tr("Layout to rename"), [this](const NamedLayout& layout) { askNewName(layout); });
        });
    commands.add(
        {"layout.delete", tr("Delete layout…"), menu, {}, tr("Removes a saved layout's file")}, [this] {
            choose(tr("Layout to delete"), [this](const NamedLayout& layout) { askDeletion(layout); });
        });
}

void LayoutActions::askName() {
    palette_.ask(tr("Name for this layout, Enter saves it"), {}, [this](const QString& name) { save(name); });
}

void LayoutActions::save(const QString& name) {
    tell(layouts_.save(name, keeper_.arrangement()),
         tr("Saved as layout “%1” in the project's layouts folder.").arg(name));
}

void LayoutActions::apply(const NamedLayout& layout) {
    const bool fits = layout.problem.isEmpty() && keeper_.apply(layout.arrangement);
    const QString why = layout.problem.isEmpty() ? tr("it is damaged") : layout.problem;
    Q_EMIT said(fits ? tr("Layout “%1”.").arg(layout.name)
                     : tr("The layout “%1” cannot be applied: %2 (%3).")
                           .arg(layout.name, why, QString::fromStdString(layout.file.string())));
}

void LayoutActions::choose(const QString& prompt, const std::function<void(const NamedLayout&)>& then) {
    std::vector<Palette::Item> items;
    for (const NamedLayout& layout : layouts_.list())
        items.push_back({layout.name, layout.problem, QString::fromStdString(layout.file.filename().string()),
                         layout.name, [then, layout] { then(layout); }});
    if (items.empty()) return Q_EMIT said(tr("No layout is saved yet: Save layout… in the menu Window."));
    palette_.choose(prompt, std::move(items));
}

void LayoutActions::askNewName(const NamedLayout& layout) {
    if (!layout.problem.isEmpty()) return apply(layout);  // says what is wrong with it
    palette_.ask(tr("New name of “%1”").arg(layout.name), layout.name, [this, layout](const QString& name) {
        tell(layouts_.rename(layout, name), tr("“%1” is now “%2”.").arg(layout.name, name));
    });
}

void LayoutActions::askDeletion(const NamedLayout& layout) {
    const auto remove = [this, layout] {
        tell(layouts_.remove(layout), tr("The layout “%1” is deleted.").arg(layout.name));
    };
    palette_.choose(tr("Nothing brings a deleted layout back"),
                    {{tr("Keep “%1”").arg(layout.name), {}, {}, tr("Keep"), {}},
                     {tr("Delete “%1”").arg(layout.name),
                      QString::fromStdString(layout.file.string()),
                      {},
                      tr("Delete"),
                      remove}});
}

void LayoutActions::tell(const Status& status, const QString& done) {
    Q_EMIT said(status ? done : QString::fromStdString(status.error().text()));
}

}  // namespace kurve::studio
