#include "core/describe/xml_keys.h"

#include <algorithm>
#include <pugixml.hpp>

#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr Index kMaxXmlBytes = 4'000'000;
constexpr Index kMaxElements = 100'000;
constexpr int kMaxXmlDepth = 64;

std::string_view withoutPrefix(std::string_view name) {
    return name.substr(name.rfind(':') + 1);  // npos + 1 is 0
}

class XmlKeys {
  public:
    XmlKeys(std::string_view text, const std::string& where) : m_text(text), m_where(where) {}

    std::vector<KeyValue> read() {
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_buffer(
            m_text.data(), m_text.size(), pugi::parse_default, pugi::encoding_utf8);
        if (!result)
            throwError<InputError>("{}: line {} is not well-formed XML: {}", m_where,
                                   lineAt(result.offset), result.description());
        const pugi::xml_node root = document.document_element();
        takeAttributes(root, {});
        takeChildren(root, {}, 1);
        return std::move(m_keys);
    }

  private:
    // Nodes come in the file's order, so each byte is passed once.
    Index lineAt(Index offset) {
        const Index end = std::clamp(offset, m_readBytes, std::ssize(m_text));
        m_line += std::count(m_text.begin() + m_readBytes, m_text.begin() + end, '\n');
        m_readBytes = end;
        return m_line;
    }

    void takeAttributes(const pugi::xml_node& node, const std::string& section) {
        for (const pugi::xml_attribute& attribute : node.attributes())
            add({section, std::string(withoutPrefix(attribute.name())),
                 std::string(trimmed(attribute.value())), lineAt(node.offset_debug())});
    }

    void takeChildren(const pugi::xml_node& node, const std::string& section, int depth) {
        for (const pugi::xml_node& child : node.children()) {
            if (child.type() != pugi::node_element) continue;
            const std::string name(withoutPrefix(child.name()));
            const Index line = lineAt(child.offset_debug());
            if (depth == kMaxXmlDepth)
                throwError<InputError>("{}: line {}: has more than {} elements in each other",
                                       m_where, line, kMaxXmlDepth);
            std::string below = section;
            below.append(section.empty() ? "" : "/").append(name);
            if (below.size() > kMaxSectionBytes)
                throwError<InputError>(
                    "{}: line {}: the names of its groups have {} bytes; {} are allowed", m_where,
                    line, below.size(), kMaxSectionBytes);
            takeAttributes(child, below);
            const bool isGroup = std::ranges::any_of(child.children(), [](const auto& each) {
                return each.type() == pugi::node_element;
            });
            if (isGroup)
                takeChildren(child, below, depth + 1);
            else
                add({section, name, std::string(trimmed(child.child_value())), line});
        }
    }

    void add(KeyValue key) {
        if (std::ssize(m_keys) == kMaxElements)
            throwError<InputError>("{}: has more than {} elements; a scan's description is shorter",
                                   m_where, kMaxElements);
        m_keys.push_back(std::move(key));
    }

    std::string_view m_text;
    const std::string& m_where;
    std::vector<KeyValue> m_keys;
    Index m_readBytes = 0;
    Index m_line = 1;
};

}  // namespace

std::vector<KeyValue> xmlKeys(std::string_view text, const std::string& where) {
    if (std::ssize(text) > kMaxXmlBytes)
        throwError<InputError>("{}: has {}; a scan's description has at most {}", where,
                               formatBytes(std::ssize(text)), formatBytes(kMaxXmlBytes));
    return XmlKeys(text, where).read();
}

}  // namespace gantry
