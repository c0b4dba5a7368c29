#include "ui/models/job/option_text.h"

#include <QCoreApplication>

#include "core/job/job_fields.h"
#include "ui/models/text.h"

namespace gantry {

const FileField<JobSpec>& jobOption(std::string_view path) {
    return fieldOf(jobFields(), path);
}

QString optionText(std::string_view text) {
    return QCoreApplication::translate("Options", std::string(text).c_str());
}

QString optionHelp(const FieldShape& shape, const FieldOption& option) {
    if (!option.help.empty()) return optionText(option.help);
    const QString meaning = optionText(shape.meaning).remove('`');
    return meaning.isEmpty() ? meaning : meaning.left(1).toUpper() + meaning.mid(1) + '.';
}

QString optionEdit(const FieldOption& option) {
    return tr("Change %1").arg(optionText(option.what));
}

QString choiceText(const JobSpec& spec, std::string_view path) {
    const FileField<JobSpec>& option = jobOption(path);
    const std::size_t place = placeOf(std::get<std::string>(option.value(spec)), option.words());
    return optionText(option.words()[place].label);
}

}  // namespace gantry
